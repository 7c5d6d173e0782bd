import { writeCsv } from "./csv.js";
import { writeJson } from "./json.js";
import { writeTable } from "./table.js";

/** Each format takes orders, one at a time, and yields text. */
export const formats = { table: writeTable, json: writeJson, csv: writeCsv };
