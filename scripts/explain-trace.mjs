// Says where in lib/ the places of a stack trace of the bundle are: node scripts/explain-trace.mjs < TRACE
//
// The trace is what --verbose prints of an error, and the checkout has to be of the version that printed it: the same
// program is made again, with source maps. Names of functions in a trace are those of the bundle, which are short.
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as esbuild from "esbuild";
import { bundleProgram } from "./bundle/program.mjs";

const root = join(import.meta.dirname, "..");
const { program, outer, inner } = await bundleProgram(esbuild, root, { maps: true });
if (program !== readFileSync(join(root, "dist/task-phase.cjs"), "utf8"))
  console.error("dist/task-phase.cjs is not what this checkout makes of lib/: npm run build");
const maps = [outer, inner].map((payload) => new SourceMap(payload));
const trace = await text(process.stdin);
process.stdout.write(trace.replace(/(?:(?<=\()[^()\n]*|[^\s(]*)task-phase\.cjs:(\d+):(\d+)/g, explain));

function explain(place, line, column) {
  const entries = [{ originalLine: Number(line) - 1, originalColumn: Number(column) - 1 }];
  for (const map of maps) entries.push(map.findEntry(entries.at(-1).originalLine, entries.at(-1).originalColumn));
  const { originalSource, originalLine, originalColumn } = entries.at(-1);
  if (originalSource === undefined) return place;
  return `${originalSource.replace(/^(?:\.\.\/)+/, "")}:${originalLine + 1}:${originalColumn + 1}`;
}
