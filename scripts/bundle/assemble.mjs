// Puts the ES modules that esbuild made by splitting together into one CommonJS module that holds each of them as a
// function. A module is run when something that it exports is used for the first time, and not when it is imported: a
// command costs what it does, and one file is read at once and has one code cache. So no module may be imported for
// what happens when it is run.
import { posix } from "node:path";

const ofNode =
  /^import (?:(?<whole>[\w$]+)|\* as (?<space>[\w$]+)|\{(?<names>[^{}]*)\}) from "(?<from>[^"./][^"]*)";$/gm;
const bare = /^import "(?<from>[^"]+)";$/gm;
const lazy = /\bimport\("(?<from>[^"]+)"\)/g;
const exported = /^export \{(?<names>[^{}]*)\};$/gm;
const required = /^(?:const|var) (?<own>import_[\w$]+) = require\("(?<from>\.[^"]+)"\);$/gm;

/**
 * The `text` of the module, and its `functions` as `{ path, name, head, map }`: the chunk and the source that each is from, the line that it begins
 * with, and the source map of the lines below it, if `toCommonJs` makes maps. In the text a function is called by
 * its place in the list, and neighbours of a folder stand together: the names, and another order, would cost 27 KB of
 * the package. `chunks` are esbuild's output files, `{ path, text, map, imports, inputs }`, `imports` and `inputs` as its
 * metafile lists them; `main` is the path of the one to begin with; `parts` is a map of files beside the program, CommonJS
 * without `require`, from the name that a lazy import has to `{ digest }`: such a file is run only if its sha256 is that
 * one, since it is read later than the program and checks of the repo may have run before. Throws if a statement of a
 * chunk was not understood.
 */
export async function assemble(chunks, { main, parts, toCommonJs }) {
  const byPath = new Map(chunks.map((chunk) => [chunk.path, chunk]));
  const needed = [...listNeeded(main, byPath)].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const places = new Map(needed.map((chunk, place) => [chunk.path, place]));
  const functions = [];
  for (const [place, chunk] of needed.entries()) {
    const made = await makeBody(chunk, { places, parts, toCommonJs });
    functions.push({ path: chunk.path, name: nameOf(chunk), head: `${place}() {`, ...made });
  }
  // `module.exports` is behind a semicolon: publint takes the file for an ES module otherwise.
  const text = `"use strict";
const $made = {};
const $parts = ${JSON.stringify(Object.fromEntries(parts))};
const $modules = {
${functions.map(({ head, body }) => `${head}\n${body}\n}`).join(",\n")}
};
function $load(place) {
  return ($made[place] ??= $modules[place]());
}
function $import(place) {
  let made;
  return () => (made ??= $load(place));
}
async function $loadLater(place) {
  return typeof place === "string" ? require(place) : $load(place);
}
const $loadPart = async (name) => ($parts[name].made ??= $makePart(__dirname + "/" + name, $parts[name].digest));
function $makePart(path, digest) {
  const text = require("node:fs").readFileSync(path, "latin1");
  if (require("node:crypto").createHash("sha256").update(text).digest("hex") !== digest)
    throw new Error(path + " is not that of this program: install task-phase again");
  const part = {};
  require("node:vm").runInThisContext("(function (module) {" + text + "})", path)(part);
  return part.exports;
}
const $main = $load(${places.get(main)});
module.exports = { ...$main, loadModule: $load, listMade: () => Object.keys($made).map(Number) };
`;
  return { text, functions };
}

/** Those that the first one imports, and so on; the others only hand on what a file of their own has. */
function listNeeded(main, byPath) {
  const found = new Set([byPath.get(main)]);
  for (const chunk of found) {
    for (const { path } of chunk.imports) if (byPath.has(path)) found.add(byPath.get(path));
  }
  return found;
}

/** The source that most of it is from; the path of a file that only hands on. */
function nameOf({ path, inputs }) {
  const [most] = Object.entries(inputs).sort((left, right) => right[1].bytesInOutput - left[1].bytesInOutput);
  return most === undefined || most[1].bytesInOutput === 0 ? path : most[0];
}

async function makeBody({ path, text, map, imports }, { places, parts, toCommonJs }) {
  const found = new Set();
  const note = (from) => {
    const target = from.startsWith(".") ? posix.join(posix.dirname(path), from) : from;
    found.add(target);
    return JSON.stringify(places.get(target) ?? target);
  };
  const plain = text
    .replace(ofNode, (...args) => {
      const { whole, space, names, from } = args.at(-1);
      // The default export of a part of Node is all of it.
      const all = whole ?? space ?? /^\s*default as (?<own>[\w$]+)\s*$/.exec(names)?.groups.own;
      return `const ${all ?? `{${names.replaceAll(" as ", ": ")}}`} = require(${note(from)});`;
    })
    .replace(bare, (...args) => note(args.at(-1).from) && "")
    .replace(lazy, (...args) => {
      const { from } = args.at(-1);
      return `${parts.has(from) ? "$loadPart" : "$loadLater"}(${note(from)})`;
    })
    .replace(exported, (...args) => `$return({${args.at(-1).names.replace(/([\w$]+) as ([\w$]+)/g, "$2: $1")}});`);
  // In CommonJS each use of an import names the module that it is from.
  const made = await toCommonJs(
    `${plain}//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}\n`,
  );
  const names = [];
  const loading = made.code.replace(required, (...args) => {
    const { own, from } = args.at(-1);
    return `const $${names.push(own) - 1} = $import(${note(from)});`;
  });
  const wanted = imports.filter(({ kind }) => kind !== "require-call").map((one) => one.path);
  if (String([...found].sort()) !== String([...new Set(wanted)].sort()))
    throw new Error(`not every import of ${path} was understood: ${[...found].sort()} instead of ${wanted.sort()}`);
  // As long as before, for the source map.
  const body = names.reduce(
    (whole, own, index) => whole.replaceAll(`${own}.`, () => `${`($${index}())`.padEnd(own.length)}.`),
    loading,
  );
  if (body.includes("import_chunk")) throw new Error(`an import of ${path} is used in a way that was not understood`);
  return { body: body.replace(/^\$return\(/m, "return ("), map: made.map };
}
