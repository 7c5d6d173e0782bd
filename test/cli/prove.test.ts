import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { pidNamespace } from "../../lib/process/temporary-folder.ts";
import type { ProveKeys } from "../../lib/rules/shapes/reports/prove.ts";
import { noSandbox } from "../process/can-sandbox.ts";
import { makeWorld, type RunEnd, type World } from "./arrange.ts";

type Proof = ProveKeys & { readonly exit_code: number };

const before = "exports.round = (x) => Math.floor(x);\n";
const fixed = "exports.round = (x) => {\n  return Math.floor(x + 0.5);\n};\n";
const test1 = `const { equal } = require("node:assert");\nconst { round } = require("../src/round.js");\nequal(round(2.2), 2);\n`;
const test2 = `${test1}equal(round(2.5), 3);\n`;

interface Repo extends World {
  prove(...words: string[]): Promise<Proof>;
  say(...words: string[]): Promise<RunEnd>;
}

function makeRepo(t: TestContext, files: Readonly<Record<string, string>> = {}): Repo {
  const world = makeWorld(t);
  world.initRepo({
    // Starting npm costs more than all else here.
    Makefile: ".PHONY: test\ntest:\n\tnode test/round.test.js\n",
    "src/round.js": before,
    "test/round.test.js": test1,
    ".gitignore": "local.json\nnode_modules\n",
    ...files,
  });
  const say = (...words: string[]) => world.call("task-phase", ["prove", ...words], { cwd: "repo" });
  return {
    ...world,
    say,
    async prove(...words) {
      const end = await say(...words, "--json");
      const proof = end.json() as unknown as Proof;
      assert.equal(end.code, proof.exit_code);
      return proof;
    },
  };
}

/** Every file of the repo with its bytes, git's own too but for times in its index. */
function snapshot(world: World): unknown {
  const names = readdirSync(world.path("repo"), { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => statSync(world.path("repo", name)).isFile());
  return files.map((name) => [name, name === ".git/index" ? "" : world.read(path.join("repo", name))]);
}

const places = (world: World) => readdirSync(world.path("home/.cache/task-phase/prove"));

describe("prove", () => {
  test("shows that a check fails without the change and notices wrong versions, and writes nothing in the repo", async (t) => {
    const world = makeRepo(t);
    world.write("repo/src/round.js", fixed);
    world.write("repo/test/round.test.js", test2);
    const then = snapshot(world);
    const { exit_code, grade, headline, checks, changed, known, wrong, base } = await world.prove();
    assert.deepEqual(snapshot(world), then);
    assert.equal(exit_code, 0);
    assert.equal(grade, "shown");
    assert.match(headline, /^The check passes; without this work only tests written with it fail; it notices \d of \d/);
    assert.deepEqual(changed, ["src/round.js", "test/round.test.js"]);
    assert.equal(base.name, "main");
    const [row] = checks;
    assert.deepEqual(
      [row?.before?.status, row?.clean?.status, row?.old_checks?.status, row?.without?.status],
      ["pass", "pass", "pass", "fail"],
    );
    assert.ok((wrong?.noticed ?? 0) > 0);
    assert.ok(existsSync(row?.without?.log ?? ""));
    assert.equal(known, false);
    const [place = ""] = places(world);
    assert.deepEqual(readdirSync(world.path("home/.cache/task-phase/prove", place)).sort(), [
      "known.json",
      "lock",
      "logs",
    ]);
  });

  test("runs nothing again while nothing changed, and says when it ran", async (t) => {
    const world = makeRepo(t);
    world.write("repo/src/round.js", fixed);
    world.write("repo/test/round.test.js", test2);
    const first = await world.prove();
    const second = await world.prove();
    assert.equal(second.known, true);
    assert.deepEqual({ ...second, known: false }, first);
    assert.match((await world.say()).stdout, /proven .* ago$/m);
    const withEnv = async (env: Readonly<Record<string, string>>) =>
      (await world.call("task-phase", ["prove", "--json"], { cwd: "repo", env })).json().known;
    const kept = { COLUMNS: "72", XDG_SESSION_ID: "2", DESKTOP_SESSION: "x" };
    assert.deepEqual([await withEnv(kept), await withEnv({ FLAG: "1" })], [true, false]);
    assert.deepEqual([await withEnv({}), await withEnv({ SESSION_SECRET: "" })], [false, false]);
    world.write("repo/src/round.js", `${fixed}// later\n`);
    assert.equal((await world.prove()).known, false);
    assert.equal((await world.prove("--check", "node test/round.test.js")).known, false);
  });

  test("a check that notices nothing of the change", async (t) => {
    const world = makeRepo(t);
    world.write("repo/README.md", "A change of words.\n");
    const kept = await world.prove();
    assert.deepEqual([kept.exit_code, kept.grade], [0, "kept"]);
    assert.equal((await world.prove("--require", "shown")).exit_code, 23);
    const unnamed =
      /^kept: no new or changed file has the name of a test; .*`watched: \[PATH\]` below `defaults` of task-phase.yaml$/m;
    assert.match((await world.say()).stdout, unnamed);
    world.write("repo/test/round.test.js", `${test1}// As it was.\n`);
    assert.doesNotMatch((await world.say()).stdout, /^kept:/m);
    world.write("repo/src/more.js", "exports.more = (x) => {\n  return x * 2;\n};\n");
    world.write("repo/test/round.test.js", `${test1}require("../src/more.js");\n`);
    const hollow = await world.prove();
    assert.equal(hollow.grade, "hollow");
    assert.match(hollow.headline, /only need the new code to be there/);
    assert.ok(hollow.unnoticed.some(({ path: at }) => at === "src/more.js"));
  });

  test("a test that looks for a part of a text notices another text", async (t) => {
    const greets = (text: string) => `exports.greet = (name) => \`${text}, \x24{name}!\`;\n`;
    const world = makeRepo(t, { "src/greet.js": greets("Helo") });
    world.write("repo/src/greet.js", greets("Hello"));
    const asks = 'require("assert").match(require("../src/greet.js").greet("Ann"), /Hello/);\n';
    world.write("repo/test/round.test.js", `${test1}${asks}`);
    const { grade, headline } = await world.prove();
    assert.equal(grade, "shown", headline);
  });

  test("a test file of before that could not be loaded without the change is one that waited for it", async (t) => {
    const waits = 'import assert from "node:assert/strict";\nimport { test } from "node:test";\n';
    const world = makeRepo(t, {
      Makefile: ".PHONY: test\ntest:\n\tnode --test test/twice.test.mjs\n",
      "src/twice.mjs": "export const once = (n) => n;\n",
      "test/twice.test.mjs": `${waits}import { twice } from "../src/twice.mjs";\ntest("doubles", () => assert.equal(twice(2), 4));\n`,
    });
    world.write("repo/src/twice.mjs", "export const once = (n) => n;\nexport const twice = (n) => n * 2;\n");
    const { grade, headline } = await world.prove();
    assert.equal(grade, "shown", headline);
  });

  test("work with other line endings here than in a clone is made wrong too", async (t) => {
    const world = makeRepo(t);
    world.git("repo", "config", "core.autocrlf", "true");
    world.write("repo/src/more.js", "exports.more = (x) => {\r\n  return x * 2;\r\n};\r\n");
    world.write("repo/test/round.test.js", `${test1}require("../src/more.js");\n`.replaceAll("\n", "\r\n"));
    const { grade, unnoticed } = await world.prove();
    assert.deepEqual([grade, unnoticed.some(({ path: at }) => at === "src/more.js")], ["hollow", true]);
  });

  test("a failing check ends with 20 and its telling line, and is not taken over by the next call", async (t) => {
    const world = makeRepo(t);
    world.write("repo/src/round.js", "exports.round = () => 7;\n");
    const proof = await world.prove();
    assert.deepEqual([proof.exit_code, proof.grade], [20, null]);
    assert.match(proof.headline, /^The check fails: tests: /);
    assert.equal(proof.failing[0]?.failed_before, false);
    assert.equal((await world.prove()).known, false);
  });

  test("an unchanged tree is reported as such, and nothing runs", async (t) => {
    const world = makeRepo(t);
    const proof = await world.prove();
    assert.deepEqual([proof.exit_code, proof.headline, proof.runs], [0, "Nothing differs from main", 0]);
    assert.equal((await world.say()).stderr, "");
    world.git("repo", "branch", "--move", "trunk");
    world.git("repo", "switch", "--quiet", "--create", "work");
    world.git("repo", "commit", "--quiet", "--allow-empty", "--message=work");
    assert.match((await world.say()).stderr, /only what is not committed was looked at .*\n.*--base BRANCH/);
    assert.equal((await world.say("--base", "HEAD")).stderr, "");
  });

  test("a weakened test asks a person, and --accept-tests answers", async (t) => {
    const world = makeRepo(t);
    world.write("repo/src/round.js", "exports.round = () => 3;\n");
    world.write("repo/test/round.test.js", test1.replace("equal(round(2.2), 2)", "equal(round(2.2), 3)"));
    const proof = await world.prove();
    assert.equal(proof.exit_code, 22);
    assert.match(proof.headline, /^A person has to look at one change of tests or checks/);
    assert.deepEqual(
      proof.watched.filter(({ asks }) => asks).map(({ name }) => name),
      ["test/round.test.js"],
    );
    assert.match(proof.old_failing[0]?.log ?? "", /old_checks/);
    const accepted = await world.prove("--accept-tests");
    assert.equal(accepted.exit_code, 0);
    assert.match(accepted.headline, /^The check passes/);
  });

  test("a threshold of coverage asks nobody about new code with its test, and notices no wrong version", async (t) => {
    const floor = (least: number) =>
      `const { n } = require("./round.test.js");\nconst all = Object.keys(require("../src/round.js")).length;\nconsole.log(\`# tests \${n}\\n# pass \${n}\\n# fail 0\`);\nif (n < all * ${least}) {\n  console.log(\`ERROR: Coverage for lines (\${n / all}%) does not meet global threshold (${least})\`);\n  process.exit(1);\n}\n`;
    const world = makeRepo(t, {
      Makefile: ".PHONY: test\ntest:\n\tnode test/all.js\n",
      "test/all.js": floor(1),
      "test/round.test.js": `${test1}exports.n = 1;\n`,
    });
    world.write("repo/src/round.js", `${before}exports.half = (x) => {\n  return x / 2;\n};\n`);
    const half = (asserts: string) =>
      `${test1}const { half } = require("../src/round.js");\n${asserts}exports.n = 2;\n`;
    world.write("repo/test/round.test.js", half("equal(half(8), 4);\n"));
    const proof = await world.prove();
    assert.deepEqual([proof.exit_code, proof.grade], [0, "shown"], proof.headline);
    // With the settings of before the present tests reach enough too.
    world.write("repo/Makefile", ".PHONY: test\ntest:\n\t@echo all\n\tnode test/all.js\n");
    const set = await world.prove();
    assert.deepEqual([set.exit_code, set.grade], [0, "shown"], set.headline);
    world.write("repo/test/round.test.js", half("half(8);\n"));
    assert.equal((await world.prove()).grade, "hollow");
    // Without its test the change fails, and with a lower threshold a person is asked.
    world.write("repo/test/round.test.js", `${test1}exports.n = 1;\n`);
    assert.equal((await world.prove()).exit_code, 20);
    world.write("repo/test/all.config.js", floor(0.5));
    world.write("repo/Makefile", ".PHONY: test\ntest:\n\tnode test/all.config.js\n");
    assert.equal((await world.prove()).exit_code, 22);
  });

  test("a test that is emptied or skipped with the change shows nothing", async (t) => {
    const world = makeRepo(t, { Makefile: ".PHONY: test\ntest:\n\tnode --test\n" });
    world.write("repo/src/round.js", fixed);
    world.write("repo/test/round.test.js", "// later\n");
    assert.notEqual((await world.prove()).grade, "shown");
    world.write("repo/test/round.test.js", `require("node:test").test.skip("half", () => {});\n`);
    const skipped = await world.prove();
    assert.notEqual(skipped.grade, "shown");
    assert.equal((await world.prove("--require", "shown")).exit_code === 0, false);
  });

  test("a .gitignore that ignores itself, as husky and pytest make, is no part of the change", async (t) => {
    const world = makeRepo(t, {});
    world.write("repo/.husky/_/.gitignore", "*\n");
    assert.deepEqual((await world.prove()).changed, []);
    world.write("repo/src/round.js", fixed);
    world.write("repo/lib/.gitignore", "*.log\n");
    assert.deepEqual((await world.prove()).changed, ["lib/.gitignore", "src/round.js"]);
  });

  test("a submodule that is staged may have a .gitignore", async (t) => {
    const world = makeRepo(t, {});
    world.write("repo/src/round.js", fixed);
    world.write("repo/test/round.test.js", test2);
    world.write("repo/sub/docs/.gitignore", "*.log\n");
    world.git("repo/sub", "init", "--quiet");
    world.git("repo/sub", "add", "--all");
    world.git("repo/sub", "commit", "--quiet", "-m", "first");
    world.git("repo", "add", "sub");
    assert.equal((await world.prove()).grade, "shown");
  });

  test("a setting that is new is compared with the base, since there is no pass 1", async (t) => {
    const world = makeRepo(t, {});
    world.write("repo/.github/workflows/ci.yml", "on: push\n");
    const { watched } = await world.prove();
    assert.deepEqual(
      watched.map(({ detail }: { detail: string }) => detail),
      ["it did not exist at the base"],
    );
  });

  test("a check that rewrites what it compares with is no check, unless it always did", async (t) => {
    const snap = `const fs = require("node:fs");\nconst { round } = require("../src/round.js");\nconst file = __dirname + "/round.snap";
if (process.env.UPDATE) fs.writeFileSync(file, String(round(2.2)));\nrequire("node:assert").equal(fs.readFileSync(file, "utf8"), String(round(2.2)));\n`;
    const world = makeRepo(t, { "test/round.test.js": snap, "test/round.snap": "2" });
    world.write("repo/src/round.js", `process.env.UPDATE = "1";\nexports.round = () => 7;\n`);
    const proof = await world.prove();
    assert.equal(proof.exit_code, 20);
    assert.match(proof.headline, /rewrote files that they compare the work with: test\/round\.snap/);
    const writes = `require("node:fs").writeFileSync(__dirname + "/last.snap", "" + Math.random());\n${test1}`;
    for (const [committed, present] of [
      [{ "test/last.snap": "0" }, "0"],
      [{ "test/last.snap": "0" }, "1"],
      [{}, "1"],
    ] as const) {
      const always = makeRepo(t, { "test/round.test.js": writes, ...committed });
      always.write("repo/src/round.js", fixed);
      always.write("repo/test/last.snap", present);
      assert.equal((await always.prove()).exit_code, 0, `${Object.keys(committed).length} committed, now ${present}`);
    }
  });

  test("files that the checks lacked in a copy before the work too are named with the remedy, which task-phase.yaml may hold", async (t) => {
    const asks = `require("node:assert").ok(require("../local.json").key);\n${test1}`;
    // As a reporter that prints a dot a test: no name of a file is so long.
    const dots = `console.log("${".".repeat(300)}F");\n`;
    const world = makeRepo(t, { "test/round.test.js": `${dots}${asks}` });
    world.write("repo/local.json", '{ "key": 1 }\n');
    world.write("repo/src/round.js", fixed);
    const proof = await world.prove();
    assert.deepEqual([proof.exit_code, proof.grade, proof.failing[0]?.failed_before], [0, "unshown", true]);
    assert.match(
      proof.headline,
      /^The check passes; whether it notices this work was not shown: tests failed in a clean copy before this work too: .*local\.json.*carry.*below `defaults`/,
    );
    assert.equal((await world.prove("--require", "shown")).exit_code, 23);
    world.write("repo/src/round.js", "exports.round = (x) => Math.ceil(x);\n");
    assert.deepEqual([(await world.prove()).exit_code, (await world.prove()).grade], [20, null]);
    world.write("repo/src/round.js", fixed);
    world.write("repo/task-phase.yaml", "defaults: { proof: { carry: [local.json] } }\n");
    assert.equal((await world.prove()).exit_code, 0);
  });

  test("checks that load the repo by its full path say nothing in a copy that hides it", {
    skip: noSandbox,
  }, async (t) => {
    // As a virtual environment outside of the repo does, with an editable install of it.
    const world = makeRepo(t, { "test/round.test.js": test1.replace('"../src/round.js"', "process.env.INSTALLED") });
    world.write("env/installed.js", `module.exports = require("${world.path("repo/src/round.js")}");\n`);
    world.write("repo/src/round.js", fixed);
    const check = ["--check", `INSTALLED=${world.path("env/installed.js")} node test/round.test.js`];
    const proof = await world.prove(...check);
    assert.deepEqual([proof.exit_code, proof.grade], [0, "unshown"]);
    assert.match(proof.headline, /the repo by its full path/);
    world.write("repo/src/round.js", "exports.round = (x) => Math.ceil(x);\n");
    assert.equal((await world.prove(...check)).exit_code, 20);
  });

  test("the tasks that the repo holds are no part of the change, committed or not", async (t) => {
    const task = (name: string, text: string) => ({
      [`tasks/${name}/STATE.md`]: `# ${text}\n`,
      [`tasks/${name}/artifacts/passes/0001/pass.json`]: `{ "pass": 1, "said": "${text}" }\n`,
      "tasks/.task-phase/runs/report.md": `# ${text}\n`,
    });
    const world = makeRepo(t, task("T-1", "at first"));
    for (const [name, text] of Object.entries({ ...task("T-1", "since"), ...task("T-2", "new") }))
      world.write(`repo/${name}`, text);
    assert.deepEqual((await world.prove()).changed, []);
    world.write("repo/src/round.js", fixed);
    world.write("repo/test/round.test.js", test2);
    const { changed, grade } = await world.prove();
    assert.deepEqual([changed, grade], [["src/round.js", "test/round.test.js"], "shown"]);
    world.git("repo", "add", "--all", "--force");
    assert.equal((await world.prove()).changed.length, 2);
  });

  test("a file that a filter program makes of what git stores is named as what the copies lack", async (t) => {
    const asks = `require("node:assert").match(require("node:fs").readFileSync("data.txt", "utf8"), /hello/);\n${test1}`;
    const world = makeRepo(t, { "test/round.test.js": asks, ".gitattributes": "data.txt filter=turn\n" });
    for (const way of ["clean", "smudge"]) world.git("repo", "config", `filter.turn.${way}`, "tr a-z n-za-m");
    world.write("repo/data.txt", "hello\n");
    world.git("repo", "add", "--all");
    world.git("repo", "commit", "--quiet", "--message=data");
    world.write("repo/src/round.js", fixed);
    assert.equal((await world.prove()).uncompared, null, "git sees no change of it");
    world.write("repo/data.txt", "hello again\n");
    const proof = await world.prove();
    assert.match(proof.uncompared ?? "", /^data\.txt \(a filter program/);
    assert.deepEqual([proof.exit_code, proof.grade, proof.changed], [0, "unshown", ["src/round.js"]]);
    assert.match(proof.headline, /lacks: data\.txt \(a filter program of git's settings applies to it/);
    world.write("repo/src/round.js", "exports.round = (x) => Math.ceil(x);\n");
    assert.equal((await world.prove()).exit_code, 20);
    const other = ["--check", "node --check src/round.js"];
    const told =
      /^not compared: data\.txt \(a filter program of git's settings applies to it, and the runner runs none: commit it by hand\)$/m;
    assert.match((await world.say(...other)).stdout, told);
    assert.match((await world.say(...other)).stdout, told, "known");
  });

  test("a failure with other dependencies than those of the base is not said to be the base's", async (t) => {
    const files = { "test/round.test.js": `require("node:assert").equal(require("dep"), 1);\n${test1}` };
    const lock = (version: string) => JSON.stringify({ packages: { "node_modules/dep": { version } } });
    const world = makeRepo(t, { ...files, "package-lock.json": lock("1.0.0") });
    world.write("repo/node_modules/dep/index.js", "module.exports = 2;\n");
    world.write("repo/src/round.js", fixed);
    assert.equal((await world.prove()).failing[0]?.failed_before, true, "as it is");
    world.write("repo/package-lock.json", lock("2.0.0"));
    const { exit_code, headline, failing, checks } = await world.prove();
    assert.deepEqual([exit_code, failing[0]?.failed_before, checks[0]?.before], [20, false, null]);
    const reason = "With the dependencies that are installed, nothing is known of the base: package-lock.json changed";
    assert.ok(headline.endsWith(`. ${reason}`), headline);
  });

  test("a check that wants nothing uncommitted passes on a change that is committed, and shows nothing", async (t) => {
    const world = makeRepo(t);
    world.git("repo", "checkout", "-q", "-b", "work");
    world.write("repo/src/round.js", fixed);
    world.write("repo/test/round.test.js", test2);
    const check = ["--check", 'test -z "$(git status --porcelain)"'];
    assert.equal((await world.prove(...check)).exit_code, 20);
    world.git("repo", "commit", "--quiet", "--all", "--message=work");
    const proof = await world.prove(...check);
    assert.deepEqual([proof.exit_code, proof.grade], [0, "kept"]);
    const since = ["--check", "! git diff --quiet main || exit 1; node test/round.test.js"];
    assert.equal((await world.prove(...since)).grade, "shown");
    world.write("repo/more.txt", "not committed\n");
    assert.equal((await world.prove(...check)).exit_code, 20);
    world.git("repo", "add", "--all");
    world.git("repo", "rm", "--quiet", "--force", "more.txt");
    world.git("repo", "checkout", "--quiet", "main", "--", "test/round.test.js");
    assert.equal((await world.prove(...check)).exit_code, 20);
  });

  test("a partial clone that lacks files of the base proves nothing until git has fetched them", async (t) => {
    const world = makeRepo(t);
    world.git("repo", "config", "uploadpack.allowFilter", "true");
    world.git("repo", "checkout", "-q", "-b", "work");
    world.write("repo/src/round.js", fixed);
    world.git("repo", "commit", "--quiet", "--all", "--message=work");
    const from = `file://${world.path("repo")}`;
    world.git("repo", "clone", "--quiet", "--filter=blob:none", "--branch=work", from, world.path("other"));
    const prove = async () => await world.call("task-phase", ["prove", "--base", "origin/main"], { cwd: "other" });
    const { code, stderr } = await prove();
    assert.equal(code, 64);
    const said = /lacks files of the base: src\/round\.js \[TP_PROVE_BASE\]\n {2}fix: git (diff \w+) >/;
    assert.match(stderr, said);
    world.git("other", ...(said.exec(stderr)?.[1] ?? "").split(" "));
    assert.equal((await prove()).code, 0);
  });

  test("what git hides is as the commit has it, and a change that is staged there is one", async (t) => {
    const world = makeRepo(t);
    const broken = world.write("broken.js", "exports.round = () => 0;\n");
    const blob = world.git("repo", "hash-object", "-w", broken).trim();
    world.git("repo", "update-index", "--skip-worktree", "src/round.js");
    rmSync(world.path("repo/src/round.js"));
    assert.deepEqual((await world.prove()).changed, []);
    world.git("repo", "update-index", "--cacheinfo", `100644,${blob},src/round.js`);
    world.git("repo", "update-index", "--skip-worktree", "src/round.js");
    assert.deepEqual((await world.prove()).changed, ["src/round.js"]);
    world.git("repo", "checkout", "-q", "-b", "work");
    world.git("repo", "commit", "-q", "-m", "broken");
    const { changed, exit_code } = await world.prove("--base", "main");
    assert.deepEqual([changed, exit_code], [["src/round.js"], 20]);
  });

  test("code in a folder of tasks is part of the change, whatever says that it is a task", async (t) => {
    const world = makeRepo(t, {
      "tasks/T-1/STATE.md": "# a task\n",
      "tasks/mail/send.js": "exports.sent = 1;\n",
      "tasks/mail/artifacts/a.js": "exports.a = 1;\n",
      Makefile: ".PHONY: test\ntest:\n\tnode tasks/mail/send.js && node test/round.test.js\n",
    });
    world.write("repo/tasks/T-1/made.js", "exports.made = 1;\n");
    world.write("repo/tasks/new/STATE.md", "# new\n");
    world.write("repo/tasks/new/code.js", "exports.code = 1;\n");
    world.write("repo/tasks/mail/STATE.md", "# mail\n");
    world.write("repo/tasks/mail/send.js", "throw new Error('broken');\n");
    world.write("repo/tasks/mail/artifacts/a.js", "exports.a = 2;\n");
    symlinkSync("mail", world.path("repo/tasks/.task-phase"));
    symlinkSync("../../src", world.path("repo/tasks/T-1/artifacts"));
    const { exit_code, changed } = await world.prove();
    const mail = ["STATE.md", "artifacts/a.js", "send.js"].map((name) => `tasks/mail/${name}`);
    const links = ["tasks/.task-phase", "tasks/T-1/artifacts"];
    assert.deepEqual(changed, [...links, "tasks/T-1/made.js", ...mail, "tasks/new/code.js"]);
    assert.equal(exit_code, 20);
  });

  test("in a package of a monorepo its own test command is taken, and a line for a shell runs in one", async (t) => {
    const world = makeRepo(t, { "packages/a/package.json": '{ "scripts": { "test": "echo of-a > /dev/null" } }\n' });
    world.write("repo/src/round.js", fixed);
    const end = await world.call("task-phase", ["prove", "--json"], { cwd: "repo/packages/a" });
    assert.match(JSON.stringify(end.json().checks), /packages\/a/);
    const shell = await world.prove("--check", "cd test && node round.test.js | cat");
    assert.deepEqual(shell.checks[0]?.command.slice(0, 2), ["sh", "-c"]);
    assert.equal(shell.exit_code, 0);
  });

  test("says what is missing: git, a commit, a check, the base", async (t) => {
    const world = makeWorld(t);
    world.write("plain/a.txt", "a\n");
    const say = (cwd: string, ...words: string[]) => world.call("task-phase", ["prove", ...words], { cwd });
    const noGit = await say("plain");
    assert.equal(noGit.code, 64);
    assert.match(noGit.stderr, /in no git repository/);
    world.write("plain/.git", "gitdir: ../moved/.git/worktrees/plain\n");
    assert.match(
      (await say("plain")).stderr,
      /plain\/\.git: error: \.git leads to no git repository: gitdir: \.\.\/moved/,
    );
    assert.equal((await world.call("task-phase", ["init", "Sum up"], { cwd: "plain" })).code, 78);
    rmSync(world.path("plain/.git"));
    world.git("plain", "init", "--quiet");
    assert.match((await say("plain")).stderr, /has no commit/);
    world.git("plain", "add", "--all");
    world.git("plain", "commit", "--quiet", "--message=start");
    const noCheck = await say("plain");
    assert.equal(noCheck.code, 64);
    assert.match(noCheck.stderr, /task-phase prove --check 'npm test'/);
    assert.match((await say("plain", "--check", "true", "--base", "nowhere")).stderr, /no commit nowhere/);
    world.write("plain/a.txt", "b\n");
    const noProgram = await say("plain", "--check", "no-such-program --all");
    assert.equal(noProgram.code, 64);
    assert.match(noProgram.stderr, /the command of no-such-program --all .*no-such-program/);
    world.write("plain/package.json", '{ "scripts": { "test": "node a.js" } }\n');
    assert.match(
      (await say("plain", "--check", "npm run unit")).stderr,
      /the check npm run unit runs the script unit, which package.json does not have/,
    );
    symlinkSync(`${world.git("plain", "--exec-path").trim()}/git`, world.path("plain/git"));
    const noNpm = await world.call("task-phase", ["prove"], { cwd: "plain", env: { PATH: world.path("plain") } });
    assert.equal(noNpm.code, 78);
    assert.match(noNpm.stderr, /fix: install it, .* on PATH; --check 'COMMAND' names one for this call/);
    assert.match((await say("plain", "--require", "much")).stderr, /--require expects shown/);
  });

  test("--out writes the result as a page, which is no part of the change", async (t) => {
    const world = makeRepo(t);
    world.write("repo/src/<b>.js", "1;\n");
    world.write("repo/test/round.test.js", `${test1}// <script>\n`);
    const first = await world.prove("--out", "proof.html");
    assert.equal(first.page, world.path("repo/proof.html"));
    const page = world.read("repo/proof.html");
    assert.match(page, /<strong class="lead">Nothing broke, but no check fails without this work<\/strong>/);
    assert.match(page, /src\/&lt;b&gt;\.js/);
    assert.doesNotMatch(page, /<script|<b>/);
    const second = await world.prove("--out", "proof.html");
    assert.deepEqual([second.known, second.changed], [true, ["src/<b>.js", "test/round.test.js"]]);
    for (const [out, why] of [
      ["no/such/folder/p.html", "there is no folder"],
      [".", "it is a folder"],
      ["src/round.js", "that file is no page of prove"],
    ] as const) {
      const work = world.read("repo/src/round.js");
      const end = await world.say("--out", out, "--base", "HEAD~1");
      assert.deepEqual([end.code, end.stderr.includes(why)], [64, true], "it is told before anything runs");
      assert.equal(world.read("repo/src/round.js"), work);
    }
  });

  test("temporary files of a killed call are removed by the next, and those of a living one stay", async (t) => {
    const world = makeRepo(t);
    const called = (pid: number) => `home/task-phase-prove-${pidNamespace()}-${pid}-abcdef`;
    // The pid of a process that has ended, and was waited for.
    const ended = spawnSync(process.execPath, ["--version"]).pid;
    for (const pid of [ended, process.pid]) world.write(`${called(pid)}/deep/file`, "left");
    chmodSync(world.path(called(ended), "deep"), 0o500);
    world.write("repo/src/round.js", fixed);
    const env = { TMPDIR: world.path("home") };
    assert.equal((await world.run("task-phase", ["prove"], { cwd: "repo", env })).code, 0);
    assert.deepEqual(
      [ended, process.pid].map((pid) => world.exists(called(pid))),
      [false, true],
    );
  });

  test("Ctrl-C leaves nothing", async (t) => {
    const world = makeRepo(t);
    world.write("repo/src/round.js", fixed);
    world.write("wait.sh", 'touch "$1"\nexec sleep 60\n');
    const sign = world.path("began");
    const end = await world.run("task-phase", ["prove", "--check", `sh ${world.path("wait.sh")} ${sign}`], {
      cwd: "repo",
      env: { TMPDIR: world.path("home") },
      onStart(child) {
        const timer = setInterval(() => {
          if (!existsSync(sign)) return;
          clearInterval(timer);
          child.kill("SIGINT");
        }, 20);
      },
    });
    assert.equal(end.code, 130);
    assert.deepEqual(
      readdirSync(world.path("home")).filter((name) => name.startsWith("task-phase")),
      [],
    );
    const [place = ""] = places(world);
    assert.equal(existsSync(world.path("home/.cache/task-phase/prove", place, "run")), false);
  });
});
