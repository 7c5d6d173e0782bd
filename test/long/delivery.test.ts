import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { assertAccepted, type MatrixCase, type MatrixWorld, makeMatrixWorld } from "../cli/matrix-world.ts";

const nodeTest = 'import test from "node:test";\nimport assert from "node:assert/strict";\n';
const checks = "validators: [{ name: tests, command: [node, --test], timeout: 30s }]";
const testOf = (expected: string) =>
  `${nodeTest}import { slug } from "../src/slug.mjs";\ntest("slug", () => assert.equal(slug("a b"), ${JSON.stringify(expected)}));\n`;
const repo = { "src/slug.mjs": "export const slug = (text) => text;\n", "test/slug.test.mjs": testOf("a-b") };
const right = { "src/slug.mjs": 'export const slug = (text) => text.replaceAll(" ", "-");\n' };

function gitIn(world: MatrixWorld, task: MatrixCase, ...args: string[]): string {
  const who = ["-c", "user.name=A Person", "-c", "user.email=person@example.test", "-c", "protocol.file.allow=always"];
  return execFileSync("git", [...who, ...args], { cwd: world.path(task.repo), encoding: "utf8", env: world.env });
}

/** From implement to verify with this work, and what came of the move to review. */
async function judge(task: MatrixCase, files: Readonly<Record<string, string>>) {
  assertAccepted(await task.step("verify", files), "verify");
  return await task.step("review");
}

test("the proven work is the work that is handed over", { concurrency: 2 }, async (t) => {
  const world = makeMatrixWorld(t);
  const it = (name: string, body: () => Promise<void>) => t.test(name, body);
  /** In review, with work that is a new commit of a submodule. */
  async function worked(name: string): Promise<MatrixCase> {
    const outer = { "test/slug.test.mjs": testOf("a-b").replace("../src/slug.mjs", "../lib/slug.mjs") };
    const task = await world.begin(name, { repo: outer, contract: [checks] });
    const inner = world.initRepo({ "slug.mjs": repo["src/slug.mjs"] }, `cases/${name}-inner`);
    gitIn(world, task, "submodule", "--quiet", "add", inner, "lib");
    gitIn(world, task, "commit", "--quiet", "--message", "lib");
    task.agentFirst(
      `cd lib && echo 'export const slug = (text) => text.replaceAll(" ", "-");' > slug.mjs && git -c user.name=a -c user.email=a@example.test commit --quiet --all --message fix || true; cd ..`,
    );
    for (const to of ["verify", "review"] as const) assertAccepted(await task.step(to), to);
    return task;
  }
  await Promise.all([
    it("work that needs a file which a person never committed goes to repair, and the file is named", async () => {
      const task = await world.begin("draft", { repo, contract: [checks] });
      task.write("../../repo/src/draft.mjs", 'export const dash = "-";\n');
      const report = await judge(task, {
        "src/slug.mjs":
          'import { dash } from "./draft.mjs";\nexport const slug = (text) => text.replaceAll(" ", dash);\n',
      });
      assert.deepEqual([report.verdict, report.to], ["redirected", "repair"], report.reason);
      assert.match(
        report.tickets[0]?.text ?? "",
        /src\/draft\.mjs \(changes that are not committed, and that no pass of this task made: commit what the work needs\)/,
      );
      await task.assertChecked();
    }),
    it("a person's edits that the work does not need are in no copy, and disturb no check", async () => {
      const task = await world.begin("edits", {
        repo: { ...repo, "src/other.mjs": "export {};\n" },
        contract: [checks],
      });
      task.write("../../repo/src/other.mjs", "not even JavaScript (\n");
      task.write("../../repo/notes.txt", "mine\n");
      assertAccepted(await task.finish(right), "done");
      assert.equal(task.last().proof?.grade, "shown");
      assert.deepEqual(
        task
          .last()
          .matrix?.left_out.map((path) => path.split(" ")[0])
          .sort(),
        ["notes.txt", "src/other.mjs"],
      );
      await task.assertChecked();
    }),
    it("a test that a person has not committed is a check, and the delivery passes without it", async () => {
      const { "test/slug.test.mjs": failing, ...rest } = repo;
      const passing = { "test/other.test.mjs": `${nodeTest}test("other", () => assert.ok(true));\n` };
      const task = await world.begin("loose", { repo: { ...rest, ...passing }, contract: [checks] });
      task.write("../../repo/test/slug.test.mjs", failing);
      assertAccepted(await task.finish(right), "done");
      assert.equal(task.last().proof?.grade, "shown");
      assert(task.exists("artifacts/passes/0002/proof/delivered/tests.log"));
      await task.assertChecked();
    }),
    it("a submodule that the work moved to a new commit is in the copy at that commit, and has to be pushed", async () => {
      const task = await worked("moved");
      assert.match(
        task.last().proof?.undelivered ?? "",
        /^a clone does not get lib \(no branch of its remote has [0-9a-f]{12}\)$/,
      );
      const report = await task.step("done");
      assert.deepEqual([report.verdict, report.to, report.exit_name], ["accepted", "done", "failure"]);
      assert.match(
        report.reason,
        /^Done, but a clone does not get lib .*; the check passes; without this work it fails/,
      );
      assert.match(task.read("EVIDENCE.md"), /\*\*Done, but a clone does not get lib /);
      assert.match((await task.command("show", "--pr")).stdout, /Done, but a clone does not get lib /);
      await task.assertChecked();
    }),
    it("a submodule whose new commit was pushed, if only before done, is in every clone", async () => {
      const task = await worked("pushed");
      gitIn(world, task, "-C", "lib", "push", "--quiet", "origin", "HEAD:refs/heads/fix");
      const report = await task.step("done");
      assert.deepEqual([report.verdict, report.to, report.exit_name], ["accepted", "done", "ok"]);
      assert.equal(task.last().proof?.undelivered, undefined);
      assert.equal(task.last().proof?.grade, "shown");
    }),
    it("git tells a check in a copy what the work is, as it would in a clone", async () => {
      const script = {
        "check.sh":
          'set -e\ngit ls-files --error-unmatch src/slug.mjs\nsh generate.sh\ngit diff --exit-code\ntest "$(git rev-list --count HEAD)" -ge 1\nnode --test\n',
        "generate.sh": "wc -c < src/slug.mjs > size.txt\n",
        "size.txt": "37\n",
      };
      const task = await world.begin("generated", {
        repo: { ...repo, ...script },
        contract: ["validators: [{ name: tests, command: [sh, check.sh], timeout: 30s }]"],
      });
      // Staged is enough: what the check asks is whether generated files are as they were handed over.
      task.agentFirst("true");
      const commits = `cd ${world.path(task.repo)} && git add --all && git -c user.name=a -c user.email=a@example.test commit --quiet --message work`;
      const size = `${right["src/slug.mjs"].length}\n`;
      assertAccepted(await task.step("verify", { ...right, "size.txt": size }), "verify");
      execFileSync("sh", ["-c", commits], { env: world.env });
      assertAccepted(await task.step("review"), "review");
      assertAccepted(await task.step("done"), "done");
      assert.equal(task.last().proof?.grade, "shown");
    }),
  ]);
});
