// Puts lib/ and all that it needs together into the files of dist/ that bin/ starts and the package ships. tsc has
// compiled lib/ before.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { listKnownAnswers } from "../dist/lib/cli/known-answers.js";
import { assemble } from "./bundle/assemble.mjs";
import { listLicences, packageFolders } from "./bundle/licences.mjs";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const systems = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];
const target = "node20.19";
const shared = {
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

for (const system of systems) copyNative(system);
writeFileSync(join(dist, "known-answers.json"), JSON.stringify(listKnownAnswers()));
const esbuild = await import("esbuild").catch(() => null);
if (esbuild === null) startFromSources();
else await writeBundle(esbuild);

async function writeBundle({ build, transform }) {
  const { program, inputs } = await bundleProgram(build, transform);
  const digest = createHash("sha256").update(program).digest("hex").slice(0, 16);
  writeFileSync(join(dist, "task-phase.cjs"), program);
  const folders = [...packageFolders(inputs), "node_modules/fs-native-extensions"].sort();
  writeFileSync(join(dist, "THIRD-PARTY.txt"), listLicences(root, folders));
  writeFileSync(join(dist, "start.cjs"), await bundleStart(build, { version, digest }));
}

/** In a checkout whose packages are older than its package-lock.json; the package is made by a whole one. */
function startFromSources() {
  console.error("esbuild is not installed, so bin/ starts dist/lib; npm ci installs it");
  const main = JSON.stringify("./lib/cli/main.js");
  const start = `(name) => void import(${main}).then(({ runMain }) => runMain(name))`;
  writeFileSync(join(dist, "start.cjs"), `exports.start = ${start};\n`);
}

async function bundleProgram(build, transform) {
  const options = { entryPoints: ["lib/cli/main.ts"], format: "esm", splitting: true, outdir: "dist" };
  const { outputFiles, metafile } = await build({ ...shared, ...options });
  const about = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const chunks = outputFiles.map(({ path, text }) => {
    const name = basename(path);
    return { name, text, imports: about.get(name).imports };
  });
  const { code } = await transform(assemble(chunks, "main.js"), {
    target,
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 200,
  });
  // What `loadProgram` calls; only now, since esbuild drops a function that nobody calls.
  const program = `(function (module, require, __dirname) {${code}})`;
  return { program, inputs: [...about.values()].flatMap((output) => Object.keys(output.inputs)) };
}

async function bundleStart(build, facts) {
  const { outputFiles } = await build({
    ...shared,
    entryPoints: ["lib/cli/start.ts"],
    format: "cjs",
    outfile: "dist/start.cjs",
    define: { ...shared.define, build: JSON.stringify(facts) },
  });
  return outputFiles[0].text;
}

/** The kernel's file locks, as they come compiled for each system. */
function copyNative(system) {
  const name = "fs-native-extensions.node";
  mkdirSync(join(dist, "native", system), { recursive: true });
  cpSync(join(root, "node_modules/fs-native-extensions/prebuilds", system, name), join(dist, "native", system, name));
}
