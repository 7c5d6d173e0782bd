import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readCode } from "../../../lib/checks/read-code.ts";
import { headCommit } from "../../../lib/git/diff.ts";
import {
  captureGit,
  listIgnoredCode,
  nameIgnoredCode,
  pinFile,
  writePatch,
} from "../../../lib/pass/checkpoint/git-capture.ts";
import { gitCheckpoint, listCommits } from "../../../lib/pass/checkpoint/git-checkpoint.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import type { VerdictEvent } from "../../../lib/rules/verdict-event.ts";
import type { CheckpointMode } from "../../../lib/rules/words.ts";
import { gatherSyncs } from "../../../lib/store/folder.ts";
import { fingerprintExcludes } from "../../../lib/task/fingerprint-excludes.ts";
import { openAnchor } from "../../../lib/task/records/anchor.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { git, gitEnv, makeRepo, write } from "../../git/git-repo.ts";
import { filesOf, type GitWorld, makeGitWorld, statusOf } from "../../git/git-world.ts";
import { withFolder } from "../../store/temporary-folder.ts";

function verdict(
  pass: number,
  word: VerdictEvent["verdict"],
  to: Phase,
  changed: readonly string[] = [],
): VerdictEvent {
  const changed_paths = changed.map((path) => ({ path, change: "changed" }));
  const event = { type: "verdict", pass, from: "implement", to, verdict: word, changed_paths };
  // The rest of an event plays no part here.
  return event as unknown as VerdictEvent;
}

/** A runner at work in a world: passes that write files and end with a verdict. */
function runner(world: GitWorld, tasks = join(world.repo, "tasks")) {
  const place = placeOf(join(tasks, "T-1"));
  mkdirSync(place.artifacts, { recursive: true });
  const env = { ...gitEnv, XDG_STATE_HOME: join(world.folder, "state"), MY_TOKEN: "very-secret-value" };
  const signal = new AbortController().signal;
  const ports = { env, home: world.folder, redactor: createRedactor(env), signal };
  const anchor = openAnchor(place, ports);
  const earlier: VerdictEvent[] = [];
  let first: string | null | undefined;
  const all = new Set<string>();
  const pass = async (
    mode: CheckpointMode,
    event: VerdictEvent,
    files: Readonly<Record<string, string>>,
    meanwhile: () => unknown = () => undefined,
    beforeCommit: () => unknown = () => undefined,
  ) => {
    if (first === undefined) first = await headCommit(world.repo, gitEnv);
    const before = await captureGit({ place, repo: world.repo, anchor, mode, pass: event.pass }, ports);
    write(world.repo, files);
    meanwhile();
    write(place.taskDir, { "STATE.md": `pass ${event.pass}\n` });
    const changedPaths = Object.keys(files);
    for (const path of changedPaths) all.add(path);
    mkdirSync(join(place.passes, "0001"), { recursive: true });
    mkdirSync(join(place.passes, String(event.pass).padStart(4, "0")), { recursive: true });
    const patched = await writePatch(before, { place, pass: event.pass, changedPaths, syncs: gatherSyncs() }, ports);
    const { entries } = (await readCode(world.repo, place, "model")).fingerprint;
    beforeCommit();
    const checked = { entries, leaveOut: fingerprintExcludes(place, world.repo), since: first, changed: [...all] };
    const end = await gitCheckpoint(
      {
        mode,
        sign: "none",
        place,
        anchor,
        repo: world.repo,
        task: "T-1",
        subject: null,
        event,
        changedPaths,
        checked,
        earlier: [...earlier],
      },
      ports,
    );
    earlier.push(event);
    const codes = [...before.findings, ...patched, ...end.findings].map(({ code }) => code);
    return { ...end, codes };
  };
  const patch = (number: number) => join(place.passes, String(number).padStart(4, "0"), "changes.patch");
  return { place, env, ports, pass, patch };
}

describe("the checkpoint of a pass", () => {
  it("is a patch and nothing else, cleaned of secrets", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      const { pass, patch } = runner(world);
      const end = await pass("patch", verdict(1, "accepted", "implement"), { a: "2 very-secret-value\n" });
      assert.deepEqual([end.pushed, end.codes], [null, []]);
      const text = readFileSync(patch(1), "utf8");
      assert.match(text, /^\+2 \[redacted:env\]$/m);
      assert.doesNotMatch(text, /STATE/);
      await pass("patch", verdict(2, "rejected", "implement"), {});
      assert.deepEqual([existsSync(patch(2)), git(world.repo, "rev-list", "--count", "HEAD").trim()], [false, "1"]);
    }));

  it("commits the task folder with each verdict, and code with what was accepted, left work of earlier passes with it", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n", mine: "1\n" });
      write(world.repo, { mine: "2\n" });
      const { pass, env } = runner(world);
      const rejected = await pass("commit", verdict(1, "rejected", "implement", ["left"]), { left: "l\n" });
      assert.deepEqual(Object.keys(filesOf(world.repo, "HEAD")), [
        "a",
        "mine",
        "tasks/T-1/STATE.md",
        "tasks/T-1/artifacts/passes/0001/changes.patch",
      ]);
      const accepted = await pass("commit", verdict(2, "accepted", "verify", ["a"]), { a: "2\n" });
      assert.deepEqual([rejected.codes, accepted.codes, accepted.pushed], [[], [], null]);
      const { a, left, mine } = filesOf(world.repo, "HEAD");
      assert.deepEqual([a, left, mine, statusOf(world.repo)], ["2\n", "l\n", "1\n", [" M mine"]]);
      assert.equal(
        git(world.repo, "log", "-1", "--format=%s").trim(),
        "task-phase: T-1 implement → verify (accepted, pass 2)",
      );
      write(world.repo, { left: "a person goes on\n" });
      await pass("commit", verdict(3, "redirected", "repair", ["b"]), { b: "b\n" });
      assert.deepEqual(statusOf(world.repo), [" M left", " M mine"]);
      const listed = await listCommits(world.repo, "T-1", 2, env);
      assert.deepEqual(
        listed.map(({ pass: number, verdict: word }) => [number, word]),
        [
          [3, "redirected"],
          [2, "accepted"],
        ],
      );
      assert.deepEqual(await listCommits(world.repo, "T-2", 2, env), []);
      assert.deepEqual(await listCommits(world.repo, "T-1", 2, { PATH: "/nonexistent" }), []);
    }));

  it("takes the paths of an earlier pass from its record, which is whole", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      const { pass, place } = runner(world);
      const changed = (path: string) => ({ path, change: "added" });
      await pass("patch", verdict(1, "rejected", "implement", ["x"]), { x: "x\n", y: "y\n" });
      write(place.taskDir, {
        "artifacts/passes/0001/pass.json": JSON.stringify({ changed_paths: [changed("x"), changed("y")] }),
      });
      await pass("patch", verdict(2, "rejected", "implement", ["z"]), { z: "z\n" });
      write(place.taskDir, { "artifacts/passes/0002/pass.json": "damaged" });
      await pass("commit", verdict(3, "accepted", "implement"), {});
      const { x, y, z } = filesOf(world.repo, "HEAD");
      assert.deepEqual([x, y, z], ["x\n", "y\n", "z\n"]);
    }));

  it("commits and pushes twice where the task folder stands in a repository of its own", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      const other = join(folder, "tasks");
      makeRepo(other, { "task-phase.yaml": "x\n" });
      const { pass } = runner(world, other);
      const end = await pass("push", verdict(1, "accepted", "implement", ["a"]), { a: "2\n" });
      assert.deepEqual([end.pushed, end.codes, world.remoteFiles()], [false, ["TP_PUSH_REMOTE"], { a: "2\n" }]);
      assert.deepEqual(Object.keys(filesOf(other, "HEAD")), [
        "T-1/STATE.md",
        "T-1/artifacts/passes/0001/changes.patch",
        "task-phase.yaml",
      ]);
    }));

  it("pushes what it committed on top of others", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      const { pass } = runner(world);
      const end = await pass("push", verdict(1, "accepted", "verify", ["a"]), { a: "2\n" }, () =>
        world.others({ b: "b\n" }),
      );
      assert.deepEqual([end.pushed, end.codes, world.remoteFiles().b], [true, [], "b\n"]);
      assert.equal(git(world.repo, "rev-parse", "HEAD"), git(world.remote, "rev-parse", "main"));
    }));

  it("lets nothing but task folders come in under what was proven", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n", "tasks/T-2/STATE.md": "1\n" });
      const { pass } = runner(world);
      const others = { "tasks/T-2/STATE.md": "2\n", "tasks/T-3/STATE.md": "new\n", "tasks/T-3/x": "x\n" };
      const first = await pass("push", verdict(1, "accepted", "review", ["a"]), { a: "2\n" }, () =>
        world.others(others),
      );
      assert.deepEqual([first.pushed, first.codes], [true, []]);
      const code = { "tasks/notes.md": "no task\n" };
      const second = await pass("push", verdict(2, "rejected", "review"), {}, () => world.others(code));
      assert.deepEqual([second.pushed, second.codes], [false, ["TP_PUSH_MOVED"]]);
      assert.match(second.findings[0]?.message ?? "", /others pushed tasks\/notes\.md/);
      const third = await pass("push", verdict(3, "redirected", "repair"), {});
      assert.deepEqual([third.pushed, third.codes], [true, []]);
    }));

  it("does not push to a URL that a pass set, until a person says that it is right", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      const { pass, ports } = runner(world);
      const elsewhere = join(folder, "elsewhere.git");
      git(folder, "init", "-q", "--bare", elsewhere);
      const move = () => world.git("remote", "set-url", "origin", elsewhere);
      const first = await pass("push", verdict(1, "accepted", "implement", ["a"]), { a: "2\n" }, move);
      const second = await pass("push", verdict(2, "rejected", "implement"), {});
      assert.deepEqual([first.codes, second.codes, git(elsewhere, "branch")], [["TP_PUSH_URL"], ["TP_PUSH_URL"], ""]);
      const pin = pinFile(join(world.repo, ".git"), ports);
      assert.ok(second.findings[0]?.fix?.includes(pin));
      assert.equal(readFileSync(pin, "utf8"), `${world.remote}\n`);
      writeFileSync(pin, `${elsewhere}\n`);
      assert.equal((await pass("push", verdict(3, "rejected", "implement"), {})).pushed, true);
    }));

  it("pushes nothing that does not hold what was checked, later passes of the task included", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n", b: "1\n", ".gitattributes": "*.id ident\n" });
      const { pass } = runner(world);
      const evil = () => {
        write(world.repo, { b: "evil\n" });
        git(world.repo, "commit", "-qam", "the agent's own");
        write(world.repo, { b: "1\n" });
      };
      const first = await pass("push", verdict(1, "accepted", "implement"), { a: "2\n" }, evil);
      assert.deepEqual([first.pushed, first.codes], [false, ["TP_GIT_UNCHECKED"]]);
      const rejected = await pass("push", verdict(2, "rejected", "implement"), { a: "3\n" });
      assert.deepEqual([rejected.pushed, rejected.codes], [false, ["TP_GIT_UNCHECKED"]]);
      assert.deepEqual(Object.keys(world.remoteFiles()), [".gitattributes", "a", "b"]);
      git(world.repo, "commit", "-qm", "by hand", "b");
      const next = await pass("push", verdict(3, "accepted", "implement"), { "x.id": "$Id: 1 $\n", a: "2\n" });
      assert.deepEqual([next.pushed, next.codes], [false, ["TP_GIT_LEFT_OUT", "TP_GIT_UNCHECKED"]]);
      const later = await pass("push", verdict(4, "accepted", "verify"), {});
      assert.deepEqual([later.pushed, later.codes], [false, ["TP_GIT_UNCHECKED"]]);
      const changed = await pass("push", verdict(5, "accepted", "verify"), { "x.id": "$Id$\n" });
      assert.deepEqual([changed.pushed, changed.codes], [true, []]);
      assert.equal(world.remoteFiles()["x.id"], "$Id$\n");
      const late = await pass("push", verdict(6, "accepted", "verify"), { a: "3\n" }, undefined, () =>
        write(world.repo, { a: "after the checks\n" }),
      );
      assert.deepEqual([late.pushed, late.codes], [false, ["TP_GIT_UNCHECKED"]]);
    }));

  it("names source files that the pass made and git ignores", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n", ".gitignore": "*.gen.js\nnode_modules\n*.log\n" });
      write(world.repo, { "old.gen.js": "1" });
      const before = await listIgnoredCode(world.repo, gitEnv);
      assert.deepEqual(await nameIgnoredCode(world.repo, before, gitEnv), []);
      const files = { "src/new.gen.js": "1", "x.log": "1", "node_modules/x/index.js": "1", "src/hidden.py": "1" };
      write(world.repo, { ...files, ".git/info/exclude": "hidden.py\n" });
      assert.deepEqual(
        (await nameIgnoredCode(world.repo, before, gitEnv)).map(({ code, message }) => [code, message]),
        [
          [
            "TP_GIT_IGNORED",
            "the pass made source files that git ignores, so no commit contains them: src/hidden.py, src/new.gen.js",
          ],
        ],
      );
      assert.equal(await listIgnoredCode(folder, gitEnv), null);
    }));

  it("turns whatever git says into findings", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      const { pass } = runner(world);
      const spoil = () => writeFileSync(join(world.repo, ".git/config"), "[broken\n");
      const first = await pass("push", verdict(1, "accepted", "implement", ["a"]), { a: "2\n" }, spoil);
      assert.deepEqual([first.pushed, first.codes], [false, ["TP_GIT_PATCH", "TP_GIT_COMMIT"]]);
      const [{ file, fix } = {}] = first.findings;
      const own = [join(world.repo, ".git"), "make sure that git status works there"];
      assert.deepEqual([file, fix], own, "what git's own error says of it");
      const second = await pass("push", verdict(2, "accepted", "implement", ["a"]), {});
      assert.deepEqual(second.codes, ["TP_GIT_CAPTURE", "TP_GIT_COMMIT"]);
    }));

  it("is nothing without git, which is said if a commit was asked for", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "plain");
      write(repo, { a: "1\n" });
      const { pass, patch } = runner({ folder, repo } as GitWorld);
      const end = await pass("push", verdict(1, "accepted", "implement", ["a"]), { a: "2\n" });
      assert.deepEqual([end.pushed, existsSync(patch(1))], [null, false]);
      assert.deepEqual(
        end.findings.map(({ code, message }) => `${code} ${message}`),
        ["TP_GIT_COMMIT not committed: neither the repo nor the task folder is in a git repository"],
      );
      const asked = await pass("patch", verdict(2, "accepted", "implement", ["a"]), { a: "3\n" });
      assert.deepEqual(asked.codes, []);
    }));
});
