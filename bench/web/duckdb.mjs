import { answerPack } from "../pack_duckdb.mjs";

await answerPack("web");
