// Puts the ES modules that esbuild made by splitting together into one CommonJS module that holds each of them as a
// function, run when it is asked for first. One file is read at once and has one code cache, and what a command does
// not need is not run.

const bindings = /^import (?:(?<whole>[\w$]+)|\* as (?<space>[\w$]+)|\{(?<names>[^{}]*)\}) from "(?<from>[^"]+)";$/gm;
const bare = /^import "(?<from>[^"]+)";$/gm;
const lazy = /\bimport\("(?<from>[^"]+)"\)/g;
const exported = /^export \{(?<names>[^{}]*)\};$/gm;

/**
 * The text of the module. `chunks` are esbuild's output files, `{ name, text, imports }`, `imports` as its metafile
 * lists them; `main` is the name of the one to begin with. Throws if a statement of a chunk was not understood.
 */
export function assemble(chunks, main) {
  const functions = chunks.map((chunk) => `${JSON.stringify(chunk.name)}() {\n${asFunctionBody(chunk)}\n}`);
  return `"use strict";
const $made = {};
const $chunks = {
${functions.join(",\n")}
};
function $load(name) {
  return ($made[name] ??= $chunks[name]?.() ?? require(name));
}
async function $loadLater(name) {
  return $load(name);
}
module.exports = $load(${JSON.stringify(main)});
`;
}

function asFunctionBody({ name, text, imports }) {
  const found = [];
  const load = (from) => {
    found.push(from);
    return from.startsWith("./") ? `$load(${JSON.stringify(from.slice(2))})` : `require(${JSON.stringify(from)})`;
  };
  const body = text
    .replace(bindings, (...args) => {
      const { whole, space, names, from } = args.at(-1);
      // The default export of a part of Node is all of it.
      const all = whole ?? space ?? /^\s*default as (?<own>[\w$]+)\s*$/.exec(names)?.groups.own;
      return `const ${all ?? `{${names.replaceAll(" as ", ": ")}}`} = ${load(from)};`;
    })
    .replace(bare, (...args) => `${load(args.at(-1).from)};`)
    .replace(lazy, (...args) => load(args.at(-1).from).replace(/^(?:\$load|require)/, "$loadLater"))
    .replace(exported, (...args) => `return {${args.at(-1).names.replace(/([\w$]+) as ([\w$]+)/g, "$2: $1")}};`);
  const wanted = imports.filter(({ kind }) => kind !== "require-call").map(({ path }) => path);
  const plain = (list) => list.map((path) => path.split("/").at(-1)).sort();
  if (String(plain(found)) !== String(plain(wanted)))
    throw new Error(`not every import of ${name} was understood: ${found} instead of ${wanted}`);
  return body;
}
