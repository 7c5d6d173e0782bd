// A copy of the compiled files that mutants are put into, so that dist/ itself always holds what was built.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";

const apart = new Set([
  "cli",
  "crash",
  "crash-states",
  "fleet-long",
  "forgetting",
  "long",
  "nights",
  "protocol",
  "simulation",
  "models-real",
  "pages-real",
  "structure",
  "truth",
]);

/** The root with a `dist` of its own; everything else in it is a link to the real one. */
export function makePlace(root, name) {
  const place = path.join(root, ".build", "mutants", name);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  cpSync(path.join(root, "dist"), path.join(place, "dist"), { recursive: true });
  for (const entry of readdirSync(root)) {
    if (entry !== "dist" && entry !== ".build") symlinkSync(path.join(root, entry), path.join(place, entry));
  }
  return place;
}

/** The compiled files of a folder of lib/, from the root; schemas decide nothing. */
export function listRoom(root, room) {
  const folder = path.join(root, "dist", "lib", room);
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".js") && !name.startsWith("shapes/"))
    .sort()
    .map((name) => path.join("dist", "lib", room, name));
}

/**
 * The test files that should notice a mutant of the file, in two groups: those that import it themselves, and the
 * other tests of its room, which are in the folder of its name. Tests that spawn commands are not among them: the promise
 * is that of the rooms' own tests.
 */
export function testsOf(root, file, room) {
  const all = listTests(root);
  const importing = all.filter(({ imports }) => imports.has(file)).map(({ test }) => test);
  const others = all.filter(
    ({ test }) => test.startsWith(path.join("dist", "test", room) + path.sep) && !importing.includes(test),
  );
  return [importing, others.map(({ test }) => test)];
}

let listed = null;

function listTests(root) {
  listed ??= readdirSync(path.join(root, "dist", "test"), { recursive: true })
    .filter((name) => name.endsWith(".test.js") && !apart.has(name.split(path.sep)[0]))
    .sort()
    .map((name) => {
      const test = path.join("dist", "test", name);
      const specifiers = readFileSync(path.join(root, test), "utf8").matchAll(/(?:from|import\() ?"(\.[^"]+)"/g);
      return { test, imports: new Set([...specifiers].map(([, to]) => path.join(path.dirname(test), to))) };
    });
  return listed;
}

/** The place in the source that a line and column of the compiled file come from, as `lib/store/lock.ts:12`. */
export function sourcePlace(root, file, { line, column }) {
  const map = new SourceMap(JSON.parse(readFileSync(path.join(root, `${file}.map`), "utf8")));
  const { originalLine } = map.findEntry(line - 1, column - 1);
  const source = file.replace(/^dist./, "").replace(/\.js$/, ".ts");
  return originalLine === undefined ? source : `${source}:${originalLine + 1}`;
}
