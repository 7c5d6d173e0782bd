// Puts lib/ and all that it needs together into the files of dist/ that bin/ starts and the package ships. tsc has
// compiled lib/ before.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "valibot";
import { listKnownAnswers } from "../dist/lib/cli/help.js";
import { promptTemplates } from "../dist/lib/documents/templates/prompt.js";
import { requireAscii } from "./bundle/ascii.mjs";
import { listLicences, packageFolders } from "./bundle/licences.mjs";
import { bundleOptions, bundleProgram } from "./bundle/program.mjs";
import { readPrompts } from "./bundle/prompts.mjs";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const systems = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];
for (const system of systems) copyNative(system);
writeFileSync(join(dist, "prompts.json"), JSON.stringify(parse(promptTemplates, readPrompts(root))));
writeFileSync(join(dist, "known-answers.json"), JSON.stringify(listKnownAnswers()));
const esbuild = await import("esbuild").catch(() => null);
if (esbuild === null) startFromSources();
else await writeBundle(esbuild);

async function writeBundle(esbuild) {
  const { program, parts, inputs, modules, exports } = await bundleProgram(esbuild, root);
  const digest = createHash("sha256").update(program).digest("hex").slice(0, 16);
  writeAscii("task-phase.cjs", program);
  for (const { name, text } of parts) writeAscii(name, text);
  // For tests: the package does without it.
  writeFileSync(join(dist, "modules.json"), JSON.stringify({ modules, exports }));
  const folders = [...packageFolders(inputs), "node_modules/fs-native-extensions"].sort();
  writeFileSync(join(dist, "THIRD-PARTY.txt"), listLicences(root, folders));
  writeAscii("start.cjs", await bundleStart(esbuild.build, { version, digest }));
}

function writeAscii(name, text) {
  requireAscii(name, text);
  writeFileSync(join(dist, name), text);
}

/** In a checkout whose packages are older than its package-lock.json; the package is made by a whole one. */
function startFromSources() {
  console.error("esbuild is not installed, so bin/ starts dist/lib; npm ci installs it");
  const main = JSON.stringify("./lib/cli/main.js");
  const start = `(name) => void import(${main}).then(({ runMain }) => runMain(name))`;
  writeFileSync(join(dist, "start.cjs"), `exports.start = ${start};\n`);
}

async function bundleStart(build, facts) {
  const options = bundleOptions(root);
  const { outputFiles } = await build({
    ...options,
    entryPoints: ["lib/cli/start.ts"],
    format: "cjs",
    outfile: "dist/start.cjs",
    define: { ...options.define, build: JSON.stringify(facts) },
  });
  return outputFiles[0].text;
}

/** The kernel's file locks, as they come compiled for each system. */
function copyNative(system) {
  const name = "fs-native-extensions.node";
  mkdirSync(join(dist, "native", system), { recursive: true });
  cpSync(join(root, "node_modules/fs-native-extensions/prebuilds", system, name), join(dist, "native", system, name));
}
