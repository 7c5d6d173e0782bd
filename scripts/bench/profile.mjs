// Where the time of profiled commands goes: by kind of work, and by the room of lib/ that asked for it.
import { readdirSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { bundleProgram } from "../bundle/program.mjs";
import { checkout } from "./checkout.mjs";

/** The rows that are above their goals, and so need a reason. */
export const profiledRows = [
  "start.help",
  "pass.verify",
  "pass.20000",
  "pass.20000-off",
  "status.1000.fresh",
  "status.1000.fresh.again",
  "board.1000.fresh",
  "board.1000.fresh.again",
  "status.10000.fresh",
  "status.10000.fresh.again",
  "status.1000.worked",
  "growth.siblings",
  "growth.passes",
  "growth.artifacts",
];

const fileCalls =
  /^(?:open|openSync|close|read|readSync|readFileUtf8|readdir|l?stat|fstat|access|existsSync|exists|write(?:String|Buffer|Sync)?|mkdir|mkdtemp|rmdir|rm|rmSync|unlink|link|symlink|readlink|copyFile|utimes|futimes|chmod|fchmod|realpath|cpSyncCheckPaths|ftruncate)$/;

/** Kinds of work by the innermost function; the first that fits counts. */
const kinds = [
  ["garbage collection", ({ functionName }) => functionName === "(garbage collector)"],
  [
    "starting programs",
    ({ functionName, url }) => isNode(url) && /^(?:spawn|ChildProcess\.spawn|spawnSync)$/.test(functionName),
  ],
  ["fsync and rename", ({ functionName, url }) => isNode(url) && /^(?:fsync|rename)(?:Sync)?$/.test(functionName)],
  ["other file calls", ({ functionName, url }) => isNode(url) && fileCalls.test(functionName)],
  ["hashing", ({ functionName, url }) => isNode(url) && /^(?:update|digest|hash|Hash)$/.test(functionName)],
  [
    "loading code",
    ({ functionName, url }) =>
      (isNode(url) && /^(?:Script|compileFunction|compileForInternalLoader|createCachedData)$/.test(functionName)) ||
      /^node:internal\/(?:modules|bootstrap|process\/pre_execution|main)/.test(url),
  ],
  ["the program's own code", ({ url }) => url.endsWith("/dist/task-phase.cjs") || url.endsWith("/dist/start.cjs")],
  ["the rest of Node", () => true],
];

/**
 * Makes the function that reads profiles of the bundle: from a list of files of `node --cpu-prof` to
 * `{ ms, kinds, rooms }`, the milliseconds of one run on average, and `[name, share]` of each part of it, the largest
 * first. A room is a folder of lib/; what Node does for it, such as a file call, counts for it too. Idle time is left out.
 */
export async function makeProfileReader() {
  const { program, outer, inner } = await bundleProgram(esbuild, checkout, { maps: true });
  if (program !== readFileSync(`${checkout}dist/task-phase.cjs`, "utf8"))
    throw new Error("dist/task-phase.cjs is not made of this lib/: npm run build");
  const maps = [outer, inner].map((payload) => new SourceMap(payload));
  const roomOf = (frame) => {
    if (!frame.url.endsWith("/dist/task-phase.cjs")) return null;
    let [line, column] = [frame.lineNumber, frame.columnNumber];
    let source;
    for (const map of maps) {
      const entry = map.findEntry(line, column);
      [line, column, source] = [entry.originalLine, entry.originalColumn, entry.originalSource];
    }
    return /^(?:\.\.\/)*lib\/([^/]+)\//.exec(source ?? "")?.[1] ?? null;
  };
  return (files) => summarizeProfiles(files, roomOf);
}

function summarizeProfiles(files, roomOf) {
  const [byKind, byRoom] = [new Map(), new Map()];
  let total = 0;
  for (const file of files) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8"));
    const places = placeNodes(nodes, roomOf);
    for (const [index, id] of samples.entries()) {
      const place = places.get(id);
      if (place === null) continue;
      const ms = timeDeltas[index] / 1000;
      total += ms;
      byKind.set(place.kind, (byKind.get(place.kind) ?? 0) + ms);
      byRoom.set(place.room, (byRoom.get(place.room) ?? 0) + ms);
    }
  }
  const shares = (map) => [...map].map(([name, ms]) => [name, ms / total]).sort((one, other) => other[1] - one[1]);
  return { ms: total / files.length, kinds: shares(byKind), rooms: shares(byRoom) };
}

/** `{ kind, room }` of each node of the tree by its id; null for the idle one. */
function placeNodes(nodes, roomOf) {
  const children = new Map(nodes.map((node) => [node.id, node]));
  const places = new Map();
  const open = [{ node: nodes[0], above: "none" }];
  for (const { node, above } of open) {
    const { callFrame } = node;
    const room = roomOf(callFrame) ?? above;
    const kind = kinds.find(([, fits]) => fits(callFrame))[0];
    places.set(node.id, callFrame.functionName === "(idle)" ? null : { kind, room });
    open.push(...(node.children ?? []).map((id) => ({ node: children.get(id), above: room })));
  }
  return places;
}

function isNode(url) {
  return url === "" || url.startsWith("node:");
}

/** As `file calls 21 %, garbage collection 9 %`; what is below a twenty-fifth is left out. */
function showShares(shares) {
  return shares
    .filter(([, share]) => share >= 0.04)
    .map(([name, share]) => `${name} ${Math.round(share * 100)} %`)
    .join(", ");
}

/** Three lines on the terminal. */
export function showProfile({ id, what, ms, kinds, rooms }) {
  return `${id}: ${what}: ${Math.round(ms)} ms\n  ${showShares(kinds)}\n  ${showShares(rooms)}`;
}

/** The profiles that a run has left in its folder. */
export function listProfiles(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".cpuprofile"))
    .map((name) => join(folder, name));
}
