// What the three peers share: the command line, and packages from the folder that PEERS names.
//
//   node bench/PACK/NAME.mjs VARIANT DATA OUT QUERY...      writes OUT/QUERY.csv for each
//
// THREADS says how many threads the engine may use.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const peers = path.resolve(process.env.PEERS ?? "build/peers");
const [variant, dataFolder, outFolder, ...queries] = process.argv.slice(2);

if (queries.length === 0) {
	console.error(`usage: node ${process.argv[1]} VARIANT DATA OUT QUERY...`);
	process.exit(2);
}
fs.mkdirSync(outFolder, { recursive: true });

export { variant, queries };
export const data = path.resolve(dataFolder);
export const out = path.resolve(outFolder);
export const threads = process.env.THREADS ?? "2";
export const load = createRequire(path.join(peers, "package.json"));

export function unknownVariant() {
	console.error(`there is no variant "${variant}"`);
	process.exit(2);
}
