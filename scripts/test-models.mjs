// Runs the real agent CLIs against a scripted server on this machine: npm run test:models [-- pi claude codex gemini
// opencode copilot qwen]
//
// Each CLI is installed from the npm registry into .models/ of the checkout, in the version that model-clis.mjs names;
// nothing else is fetched, and no provider is called. A CLI that could not be installed is named as not run. The exit
// code is 0 if every test of every CLI that was asked for passed; without names, those that cannot be installed
// here are left out, but one at least must have run. docs/models.md has what was seen.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installCli } from "./install-cli.mjs";
import { modelClis } from "./model-clis.mjs";
import { checkout } from "./pass-after-pass.mjs";

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(modelClis, name));

if (unknown.length > 0) {
  console.error(`no such CLI: ${unknown.join(", ")}; there are ${Object.keys(modelClis).join(", ")}`);
  process.exitCode = 64;
} else if (process.platform !== "linux") {
  // What is left alive is found in /proc.
  console.error(`not run: ${names.join(", ") || "every CLI"}: these tests need Linux`);
  process.exitCode = 1;
} else {
  process.exitCode = testModels(names) ? 0 : 1;
}

function testModels(asked) {
  const wanted = asked.length > 0 ? asked : Object.keys(modelClis);
  const tried = wanted.map((name) => installCli(name, (line) => console.log(line)));
  const installed = tried.filter((cli) => cli.problem === undefined);
  const missing = tried.filter((cli) => cli.problem !== undefined);
  const passed = installed.length > 0 && runTests(installed);
  for (const { name, problem } of missing) console.log(`${name}: NOT RUN: ${problem}`);
  return passed && (asked.length === 0 || missing.length === 0);
}

function runTests(installed) {
  const folder = mkdtempSync(join(tmpdir(), "task-phase-models-"));
  const results = join(folder, "results.jsonl");
  const list = join(folder, "installed.json");
  writeFileSync(list, JSON.stringify(installed));
  const room = join("dist", "test", "models-real");
  const files = readdirSync(join(checkout, room))
    .filter((name) => name.endsWith(".test.js"))
    .map((name) => join(room, name));
  const argv = ["--enable-source-maps", "--test", "--test-concurrency=2", "--test-reporter=spec", ...files];
  // Not below /tmp: see makeRealWorld.
  const env = { ...process.env, TMPDIR: "/var/tmp", TASK_PHASE_REAL_MODELS: list, TASK_PHASE_REAL_RESULTS: results };
  try {
    const end = spawnSync(process.execPath, argv, { cwd: checkout, env, stdio: "inherit" });
    for (const line of tableOf(installed, results)) console.log(line);
    for (const { name, version } of installed) console.log(`${name}: run as ${version}`);
    return end.status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What each scenario came to, and the seconds that the pass took, as Markdown. */
function tableOf(installed, file) {
  if (!existsSync(file)) return [];
  const results = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const heads = ["scenario", ...installed.map(({ name, version }) => `${name} ${version}`)];
  const rows = [...new Set(results.map(({ scenario }) => scenario))].sort().map((scenario) =>
    row([
      scenario,
      ...installed.map(({ name }) => {
        const found = results.findLast((one) => one.cli === name && one.scenario === scenario);
        return found === undefined ? "" : `${found.verdict}, ${found.end}, ${found.seconds.toFixed(1)} s`;
      }),
    ]),
  );
  return ["", row(heads), row(heads.map(() => "---")), ...rows, ""];
}
