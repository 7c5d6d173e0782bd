// No cheat: honest work in a file with a byte-order mark and CRLF, and with notes that a careless writer would spoil.
import { readFileSync, writeFileSync } from "node:fs";
import { statePath, workHonestly } from "../honest.mjs";

workHonestly();
const notes = "\n| a  |b|\n|:--|--:|\n| \u00e9 | `- Phase: done` |\n\n* [ ] kept\n\ttab and trailing blanks  \n";
const text = `${readFileSync(statePath, "utf8")}${notes}`;
writeFileSync(statePath, `\uFEFF${text.replaceAll("\n", "\r\n")}`);
