import assert from "node:assert/strict";
import { readdirSync, rmSync, watch } from "node:fs";
import { test } from "node:test";
import { contentsOf } from "../../../lib/checks/proof/clean-copy.ts";
import { openKeptCopy } from "../../../lib/checks/proof/kept-copy.ts";
import { runCell } from "../../../lib/checks/proof/run-cell.ts";
import { readHead } from "../../../lib/git/head.ts";
import { makeHistory } from "../../../lib/git/history-below.ts";
import { listTree } from "../../../lib/git/list-tree.ts";
import { findGitPlace } from "../../../lib/git/place.ts";
import { refusing } from "../../store/refused-calls.ts";
import { makeProofWorld, nodeCheck } from "./arrange.ts";
import { cell, files, statuses } from "./cell-world.ts";

test("checks run in the copy, see nothing ignored but dependencies, and what they write stays there", async (t) => {
  const world = makeProofWorld(t, files);
  world.write("my repo/ignored", "");
  world.write("my repo/node_modules/p/index.js", "module.exports = 1;\n");
  const code = `
    import { strict as assert } from "node:assert";
    import { createRequire } from "node:module";
    import { existsSync, readFileSync, writeFileSync } from "node:fs";
    assert.equal(readFileSync("a.txt", "utf8"), "a\\n");
    assert.equal(process.cwd().endsWith("/my repo"), true);
    assert.equal(existsSync(".git") || existsSync("ignored"), false);
    assert.equal(createRequire(process.cwd() + "/x.js")("p"), 1);
    for (const name of ["a.txt", "new.txt", "node_modules/p/index.js", process.env.TMPDIR + "/x"]) writeFileSync(name, "changed");
  `;
  const ground = world.ground([nodeCheck("tests", code)]);
  // Twice: what the first one wrote is nowhere in the second.
  for (let time = 0; time < 2; time += 1) assert.deepEqual(await statuses(world, ground), ["tests pass"]);
  assert.deepEqual([world.read("my repo/a.txt"), world.exists("my repo/new.txt")], ["a\n", false]);
  assert.equal(world.read("my repo/node_modules/p/index.js"), "module.exports = 1;\n");
});

test("files that checks write in a kept copy or in carried folders are gone in the next run", async (t) => {
  const world = makeProofWorld(t, { ...files, "in/b.txt": "b\n" });
  world.write("my repo/node_modules/p/index.js", "module.exports = 1;\n");
  const code = `
    import { strict as assert } from "node:assert";
    import fs from "node:fs";
    const listed = fs.readdirSync(".", { recursive: true }).sort().join(" ");
    assert.equal(listed, ".gitignore a.txt in in/b.txt node_modules node_modules/p node_modules/p/index.js");
    assert.equal(fs.readFileSync("in/b.txt", "utf8"), "b\\n");
    assert.equal(fs.readFileSync("node_modules/p/index.js", "utf8"), "module.exports = 1;\\n");
    fs.appendFileSync("in/b.txt", "more");
    fs.rmSync("a.txt");
    fs.mkdirSync("coverage");
    fs.writeFileSync("coverage/report", "");
    fs.chmodSync("coverage", 0);
    fs.writeFileSync("node_modules/p/index.js", "module.exports = 2;\\n");
    fs.mkdirSync("node_modules/.cache");
  `;
  const ground = world.ground([nodeCheck("tests", code)]);
  const kept = openKeptCopy(ground.copies);
  const request = { contents: await world.contents(), heldOut: [], logFolder: world.path("logs"), logRelative: "logs" };
  for (const name of ["clean", "without", "wrong-1"]) {
    const outcome = await runCell(ground, { ...request, name }, kept);
    const said = outcome.kind === "ran" ? outcome.cell.results : outcome;
    assert.equal(outcome.kind === "ran" && outcome.cell.results[0]?.status, "pass", JSON.stringify(said));
  }
  assert.equal(kept.remove(), null);
});

test("a link in the place of the copies is removed, and nothing is copied to where it leads", async (t) => {
  const world = makeProofWorld(t, files);
  rmSync(world.path("runner/copies"), { recursive: true });
  world.write("elsewhere/mine.txt", "mine\n");
  world.link(world.path("elsewhere"), "runner/copies");
  const ground = world.ground([nodeCheck("tests", 'process.exit(process.cwd().includes("elsewhere") ? 1 : 0)')]);
  assert.deepEqual(await statuses(world, ground), ["tests pass"]);
  assert.equal(world.read("elsewhere/mine.txt"), "mine\n");
});

test("a copy that cannot be removed is named, and what the checks said stays", async (t) => {
  const world = makeProofWorld(t, files);
  const folder = world.path("runner/copies/kept");
  const request = {
    name: "clean",
    contents: await world.contents(),
    heldOut: [],
    logFolder: world.path("logs"),
  } as const;
  const run = (done: () => boolean) => {
    const test = (path: string) => path === folder && done();
    return refusing("rmSync", "EBUSY", { test }, async () => {
      const ground = world.ground([nodeCheck("tests", "")]);
      const kept = openKeptCopy(ground.copies);
      const outcome = await runCell(ground, { ...request, logRelative: "logs" }, kept);
      return { outcome, leftover: kept.remove() };
    });
  };
  const after = await run(() => world.exists("logs/tests.log"));
  assert.deepEqual([after.outcome.kind, after.leftover], ["ran", folder]);
  assert.deepEqual(await run(() => true), {
    outcome: { kind: "refused", reason: "a file in the way of the copy cannot be removed" },
    leftover: folder,
  });
});

test("a cell whose call is aborted at any moment is reported as aborted", async (t) => {
  const world = makeProofWorld(t, files);
  const signal = AbortSignal.abort("SIGTERM");
  assert.deepEqual(await cell(world, world.ground([nodeCheck("tests", "")], { signal })), { kind: "aborted" });
  const prepare = { carry: [], prepare: [["true"]] };
  const prepared = world.ground([], { signal, rules: prepare });
  assert.deepEqual(await cell(world, prepared, { contents: new Map() }), { kind: "aborted" });
  const controller = new AbortController();
  const ground = world.ground([nodeCheck("tests", "")], { signal: controller.signal });
  const request = { contents: await world.contents(), heldOut: [], name: "clean", logRelative: "logs" } as const;
  const running = runCell(ground, { ...request, logFolder: world.path("logs") }, openKeptCopy(ground.copies));
  controller.abort("SIGTERM");
  assert.deepEqual(await running, { kind: "aborted" });
});

test("where the sandbox has a temporary folder of its own, only what runs outside of it gets another", async (t) => {
  const world = makeProofWorld(t, { ...files, ".gitignore": "*.said\n" });
  const say = (file: string) => ["sh", "-c", `echo "$TMPDIR $TMP" > ${file}.said`];
  const shown = { ...nodeCheck("tests", ""), command: ["sh", "-c", "cat prepared.said; echo $TMPDIR; test -z $TMP"] };
  const sandbox = { wrap: (argv: readonly string[]) => argv, hasOwnTemporary: true };
  const ground = world.ground([shown], { sandbox, rules: { carry: [], prepare: [say("prepared")] } });
  const { TMP: _, ...env } = ground.env;
  assert.deepEqual(await statuses(world, { ...ground, env: { ...env, TMPDIR: "/tmp" } }), ["tests pass"]);
  const own = world.path("runner/work/tmp-clean");
  assert.match(world.read("logs/clean/tests.log"), new RegExp(`\n${own} ${own}\n/tmp\n`));
});

test("an abort ends the checks and removes the copy; so does an error of the disk", async (t) => {
  const world = makeProofWorld(t, files);
  const controller = new AbortController();
  const ready = world.path("ready");
  const waits = nodeCheck(
    "tests",
    `import fs from "node:fs"; fs.mkdirSync("closed/in", { recursive: true }); fs.chmodSync("closed", 0); fs.writeFileSync(${JSON.stringify(ready)}, ""); setInterval(() => {}, 1000)`,
  );

  const watcher = watch(world.folder, () => {
    if (world.exists("ready")) controller.abort("SIGTERM");
  });
  t.after(() => watcher.close());
  assert.deepEqual(await cell(world, world.ground([waits], { signal: controller.signal })), { kind: "aborted" });
  world.write("blocked", "a file\n");
  const broken = cell(world, world.ground([nodeCheck("tests", "")]), { logFolder: world.path("blocked/logs") });
  await assert.rejects(broken, /blocked/);
  assert.deepEqual(readdirSync(world.path("runner/copies")), []);
});

test("a check that writes anew what was put back has not passed", async (t) => {
  const world = makeProofWorld(t, files);
  const ground = world.ground([nodeCheck("tests", 'import fs from "node:fs"; fs.writeFileSync("a.txt", "b\\n");')]);
  assert.deepEqual(await statuses(world, ground, { restored: [".gitignore"] }), ["tests pass"]);
  const outcome = await cell(world, ground, { restored: ["a.txt"] });
  assert(outcome.kind === "ran");
  assert.deepEqual(
    outcome.cell.results.map(({ status, unmet }) => [status, unmet]),
    [
      [
        "fail",
        "the checks rewrote files that they compare the work with: a.txt; if what they write is right, keep it with the work",
      ],
    ],
  );
  const made = await cell(world, ground, { restored: ["a.txt", "b.txt"], contents: new Map() });
  assert(made.kind === "ran");
  assert.deepEqual([made.cell.results[0]?.status, made.rewritten], ["pass", ["a.txt"]]);
});

test("with an empty home the copy has another name than the repo, and never the runner's settings", async (t) => {
  const world = makeProofWorld(t, { ...files, "tasks/task-phase.yaml": "models: []\n" });
  const code = `
    import fs from "node:fs";
    import { basename } from "node:path";
    if (basename(process.cwd()) !== "work" || fs.existsSync("tasks")) process.exitCode = 1;
  `;
  const settings = ["tasks/task-phase.yaml"];
  const home = { path: world.path("home"), seen: "private" as const };
  const ground = world.ground([nodeCheck("tests", code)], { home, settings });
  const contents = contentsOf(
    new Map([...(await world.contents())].map(([path, one]) => [path, one.entry])),
    "repo",
    ground,
  );
  assert.deepEqual(await statuses(world, ground, { contents }), ["tests pass"]);
});

test("up to three files that the checks wrote anew are named", async (t) => {
  const names = ["a.txt", "b.txt", "c.txt", "d.txt"];
  const world = makeProofWorld(t, Object.fromEntries(names.map((name) => [name, "old\n"])));
  const code = `import fs from "node:fs"; for (const name of ${JSON.stringify(names)}) fs.writeFileSync(name, "new\\n");`;
  const told = async (restored: readonly string[]) => {
    const outcome = await cell(world, world.ground([nodeCheck("tests", code)]), { restored });
    return outcome.kind === "ran" ? outcome.cell.results[0]?.unmet : outcome.kind;
  };
  const begin = "the checks rewrote files that they compare the work with: a.txt, b.txt, c.txt";
  const rest = "; if what they write is right, keep it with the work";
  assert.deepEqual(
    [await told(names.slice(0, 3)), await told(names)],
    [`${begin}${rest}`, `${begin} and 1 more${rest}`],
  );
});

test("a copy is a repository with the commit below it, and all that it holds staged", async (t) => {
  const world = makeProofWorld(t, files);
  const script = `
    import { strict as assert } from "node:assert";
    import { execFileSync } from "node:child_process";
    const git = (...words) => execFileSync("git", words, { encoding: "utf8" }).trim();
    assert.equal(git("status", "--porcelain"), "");
    assert.equal(git("rev-list", "--count", "HEAD"), "1");
    assert.equal(git("ls-files"), ".gitignore\\na.txt");
    assert.equal(git("describe") + git("describe", "--tags"), "v1.2v1.2");
  `;
  const place = findGitPlace(world.repo);
  assert(place !== null);
  const head = await readHead(place, world.env);
  const tree = await listTree(place, head?.commit ?? "", world.env);
  const blobs = new Map([...tree]);
  world.git("my repo", "tag", "v1.2");
  const versions = { start: head?.commit ?? "", before: blobs, now: blobs, submodules: new Map() };
  const history = await makeHistory(place, world.path("runner/history"), versions, world.env);
  const entries = await world.contents();
  const contents = new Map([...entries].map(([name, entry]) => [name, { ...entry, blob: tree.get(name) ?? null }]));
  const outcome = await cell(world, world.ground([nodeCheck("tests", script)], { history }), { contents });
  assert(outcome.kind === "ran");
  assert.equal(outcome.cell.results[0]?.status, "pass", outcome.cell.results[0]?.excerpt);
});
