import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const dist = new URL("../../dist/", import.meta.url);
const program = new URL("program.mjs", import.meta.url).href;
const { exports } = JSON.parse(readFileSync(fileURLToPath(new URL("modules.json", dist)), "utf8"));
const places = new Map(
  Object.entries(exports).map(([source, names]) => [new URL(source.replace(/\.ts$/, ".js"), dist).href, names]),
);

/** In the place of a module that the program holds: one that exports the same names from there. */
export async function load(url, context, next) {
  const names = places.get(url);
  if (names === undefined) return await next(url, context);
  const lines = Object.entries(names).map(
    ([name, [number, short]]) => `export const ${name} = loadModule(${number}).${short};\n`,
  );
  const source = `import { loadModule } from ${JSON.stringify(program)};\n${lines.join("")}`;
  return { format: "module", source, shortCircuit: true };
}
