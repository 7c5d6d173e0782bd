// Looks at the pages in a real Chromium: npm run test:pages
//
// Chromium is CHROMIUM_PATH, else the one on PATH, else Debian's, which is installed where this runs as root. Where
// there
// is none, the tests are skipped and that is said; with CI=true a missing browser is a failure. The pages are made with
// the built commands: the example, played to its end, and the arranged tasks of test/pages-real. Nothing of them
// reaches
// a network. Screenshots are kept in .pages/ of the checkout, to be looked at.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installChromium } from "./install-chromium.mjs";
import { makePages } from "./make-pages.mjs";
import { checkout, makeScratch } from "./pass-after-pass.mjs";

const print = (line) => console.log(line);
/** Of one file of tests. All take about a minute; a machine that has much else to do may need longer. */
const longestTestMs = 5 * 60_000;

const chromium = installChromium(print);
if (chromium.problem === undefined) {
  process.exitCode = (await testPages(chromium)) ? 0 : 1;
} else {
  const isFailure = ["1", "true"].includes(process.env.CI ?? "");
  print(`the tests of the pages in a browser were ${isFailure ? "NOT RUN" : "SKIPPED"}: ${chromium.problem}`);
  print("what nobody looked at: scripts, requests, layout, axe, links, keyboard, printing, policy and screenshots");
  process.exitCode = isFailure ? 1 : 0;
}

async function testPages({ path, version }) {
  const scratch = makeScratch("pages");
  try {
    const pages = await makePages(scratch, print);
    if (pages === null) return false;
    const shots = join(checkout, ".pages");
    rmSync(shots, { recursive: true, force: true });
    mkdirSync(shots);
    const place = join(scratch, "place.json");
    writeFileSync(place, JSON.stringify({ chromium: path, scratch, shots, pages }));
    print(`Chromium ${version} (${path}) looks at ${pages.map(({ name }) => name).join(", ")}`);
    const passed = runTests(place);
    print("screenshots:");
    for (const name of readdirSync(shots).sort()) print(`  ${join(shots, name)}`);
    return passed;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function runTests(place) {
  const room = join("dist", "test", "pages-real");
  const files = readdirSync(join(checkout, room))
    .filter((name) => name.endsWith(".test.js"))
    .map((name) => join(room, name));
  const flags = ["--test-concurrency=2", `--test-timeout=${longestTestMs}`, "--test-reporter=spec"];
  const argv = ["--enable-source-maps", "--test", ...flags, ...files];
  const env = { ...process.env, TASK_PHASE_PAGES: place };
  return spawnSync(process.execPath, argv, { cwd: checkout, env, stdio: "inherit" }).status === 0;
}
