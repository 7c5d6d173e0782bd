// The program as one file: lib/ and all that it needs.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { requireAsciiRaw, toAscii } from "./ascii.mjs";
import { assemble } from "./assemble.mjs";

export const target = "node20.19";

const begin = "(function (module, require, __dirname) {";

/** What few commands need and is large: files of their own beside the program, from the module of lib/ to the name. */
const apart = { "lib/checks/wrong/load-parser.ts": "grammars.cjs" };

/** What esbuild is told of everything that is put together; `root` is the checkout. */
export function bundleOptions(root) {
  return {
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target,
    define: { "import.meta.dirname": "__dirname" },
    mainFields: ["module", "main"],
    legalComments: "none",
    write: false,
    metafile: true,
    logLevel: "warning",
  };
}

/** The files of `apart`, `{ name, text, inputs }` of each: the text in ASCII, and the paths of all that is in it. */
async function bundleParts({ build }, root) {
  return await Promise.all(
    Object.entries(apart).map(async ([source, name]) => {
      const options = { ...bundleOptions(root), entryPoints: [source], format: "cjs", outfile: `dist/${name}` };
      const { outputFiles, metafile } = await build({ ...options, minify: true, lineLimit: 2000 });
      return { name, text: toAscii(outputFiles[0].text), inputs: Object.keys(metafile.inputs) };
    }),
  );
}

/** Leaves the imports of `apart` to the program, which loads these files. */
const partsApart = {
  name: "parts",
  setup: (build) =>
    build.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
      if (kind === "entry-point") return undefined;
      const name = apart[relative(build.initialOptions.absWorkingDir, join(resolveDir, path))];
      return name === undefined ? undefined : { path: name, external: true };
    }),
};

/**
 * Gives the `program`, an expression in ASCII that `loadProgram` calls, the `inputs`, the paths of all that is in it,
 * the `parts`, the files beside it as `{ name, text }`, and the `modules`, the source of each function in the order of their numbers. `exports` tells for each source of lib/
 * where the program has what it exports: `{ isPhase: [12, "d"] }`, the number of a function and the short name there.
 * With `maps` also what scripts/explain-trace.mjs needs: `outer`, the source map from the program to the text before it
 * was made small, and `inner`, that from there to lib/.
 */
export async function bundleProgram(esbuild, root, { maps = false } = {}) {
  const { build, transform } = esbuild;
  const parts = await bundleParts(esbuild, root);
  const plugins = [partsApart];
  const options = { ...bundleOptions(root), plugins, format: "esm", splitting: true, outdir: "dist", outbase: "." };
  const main = "lib/cli/main";
  const whole = await build({ ...options, entryPoints: [`${main}.ts`] });
  const { outputFiles, metafile } = await build({
    ...options,
    // Each of them, so that each has a file of its own.
    entryPoints: Object.keys(whole.metafile.inputs).filter((path) => path.startsWith("lib/")),
    minifyIdentifiers: true,
    // Always: the names of the chunks depend on it.
    sourcemap: "external",
    sourcesContent: false,
  });
  const files = new Map(outputFiles.map(({ path, text }) => [relative(root, path), text]));
  const paths = [...files.keys()].filter((path) => !path.endsWith(".map"));
  const chunks = paths.map((path) => ({
    path,
    text: files.get(path),
    map: files.get(`${path}.map`),
    ...metafile.outputs[path],
  }));
  const { text, functions } = await assemble(chunks, {
    main: `dist/${main}.js`,
    parts: new Map(parts.map((part) => [part.name, { digest: sha256(part.text) }])),
    toCommonJs: (code) =>
      transform(code, { format: "cjs", target, sourcemap: maps && "external", sourcesContent: false }),
  });
  const ofProgram = Object.values(whole.metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  const inputs = [...ofProgram, ...parts.flatMap((part) => part.inputs)];
  for (const path of new Set(inputs)) requireAsciiRaw(path, readFileSync(join(root, path), "utf8"));
  const { code, map } = await transform(toAscii(text), {
    target,
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 2000,
    sourcemap: maps && "external",
  });
  // Around it only now, since esbuild drops a function that nobody calls.
  const program = `${begin}${code}})`;
  const modules = functions.map(({ name }) => name);
  const numbers = new Map(functions.map(({ path }, number) => [path, number]));
  const sources = [...new Set(ofProgram)].filter((path) => path.startsWith("lib/"));
  const exports = Object.fromEntries(sources.map((source) => [source, findExports(source, files, numbers)]));
  if (!maps) return { program, parts, inputs, modules, exports };
  const at = (line, column, payload) => ({ offset: { line, column }, map: JSON.parse(payload) });
  const sections = functions.map((one) => at(lineAfter(text, `\n${one.head}\n`), 0, one.map));
  return {
    program,
    parts,
    inputs,
    modules,
    exports,
    outer: { version: 3, sections: [at(0, begin.length, map)] },
    inner: { version: 3, sections: sections.sort((one, other) => one.offset.line - other.offset.line) },
  };
}

function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}

/** The number of the line, from 0, that follows this one, which is given with the breaks before and after it. */
function lineAfter(text, line) {
  return text.slice(0, text.indexOf(line) + 1).split("\n").length;
}

/** esbuild writes a file for each source, and it exports what the source does, from one of the chunks or from several. */
function findExports(source, files, numbers) {
  const path = `dist/${source.replace(/\.ts$/, ".js")}`;
  const text = files.get(path);
  const places = new Map();
  for (const { groups } of text.matchAll(/^import \{(?<names>[^{}]*)\} from "(?<from>\.[^"]*)";$/gm)) {
    const number = numbers.get(posix.join(posix.dirname(path), groups.from));
    for (const [short, own] of namePairs(groups.names)) places.set(own, [number, short]);
  }
  const exported = [...text.matchAll(/^export \{(?<names>[^{}]*)\};$/gm)].flatMap(({ groups }) =>
    namePairs(groups.names),
  );
  return Object.fromEntries(exported.map(([own, name]) => [name, places.get(own) ?? [numbers.get(path), name]]));
}

/** `a, b as c` as `[["a", "a"], ["b", "c"]]`. */
function namePairs(names) {
  return names.split(",").map((pair) => {
    const [from, to = from] = pair.trim().split(/\s+as\s+/);
    return [from, to];
  });
}
