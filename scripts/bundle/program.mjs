// The program as one file: lib/ and all that it needs.
import { relative } from "node:path";
import { assemble } from "./assemble.mjs";

export const target = "node20.19";

const begin = "(function (module, require, __dirname) {";

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

/**
 * Gives the `program`, an expression that `loadProgram` calls, the `inputs`, the paths of all that is in it, and the
 * `modules`, the source of each function that `listMade` tells the number of. Names are short in it, exported ones too,
 * so the chunks are made with short ones. With `maps` also what
 * scripts/explain-trace.mjs needs: `outer`, the source map from the program to the text before it was made small, and
 * `inner`, that from there to lib/.
 */
export async function bundleProgram({ build, transform }, root, { maps = false } = {}) {
  const options = { ...bundleOptions(root), format: "esm", splitting: true, outdir: "dist", outbase: "." };
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
  const { text, functions } = await assemble(chunks, `dist/${main}.js`, (code) =>
    transform(code, { format: "cjs", target, sourcemap: maps && "external", sourcesContent: false }),
  );
  const { code, map } = await transform(text, {
    target,
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 2000,
    sourcemap: maps && "external",
  });
  // Around it only now, since esbuild drops a function that nobody calls.
  const program = `${begin}${code}})`;
  const inputs = Object.values(whole.metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  const modules = functions.map(({ name }) => name);
  if (!maps) return { program, inputs, modules };
  const at = (line, column, payload) => ({ offset: { line, column }, map: JSON.parse(payload) });
  const sections = functions.map((one) => at(lineAfter(text, `\n${one.head}\n`), 0, one.map));
  return {
    program,
    inputs,
    modules,
    outer: { version: 3, sections: [at(0, begin.length, map)] },
    inner: { version: 3, sections: sections.sort((one, other) => one.offset.line - other.offset.line) },
  };
}

/** The number of the line, from 0, that follows this one, which is given with the breaks before and after it. */
function lineAfter(text, line) {
  return text.slice(0, text.indexOf(line) + 1).split("\n").length;
}
