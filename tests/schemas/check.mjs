// usage: node check.mjs FOLDER <documents.json
//
// What the published schemas of Kubernetes, which are installed in FOLDER, say of each document: a line for each that is not
// as it should be, and how many are.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const load = createRequire(path.join(path.resolve(process.argv[2]), "x.js"));
let valid = 0;

for (const document of JSON.parse(fs.readFileSync(0, "utf8"))) {
	const { apiVersion, kind, metadata } = document;
	try {
		const Kind = load(`kubernetes-models/${apiVersion}/${kind}`)[kind];
		new Kind(document).validate();
		valid++;
	} catch (error) {
		console.log(`${kind} ${metadata?.name}: ${error.message}`);
	}
}
console.log(`${valid} valid`);
