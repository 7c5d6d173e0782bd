import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { separateCells } from "../../lib/checks/cell-sandbox.ts";
import { findBwrap, trySandbox } from "../../lib/process/bwrap.ts";
import { refusing } from "../store/refused-calls.ts";

const bwrap = findBwrap(process.env.PATH ?? "", []);
/** Without folders in /tmp, which would be seen there: npm puts those of the project on PATH. */
const searchPath = (process.env.PATH ?? "")
  .split(":")
  .filter((folder) => !folder.startsWith("/tmp/"))
  .join(":");
const skip = bwrap === null || trySandbox(bwrap) !== null ? { skip: "bubblewrap cannot be used here" } : {};

test("a check in a copy finds nothing that was left for it on the machine", skip, (t) => {
  const root = realpathSync(mkdtempSync("/var/tmp/task-phase-separate-"));
  const left = mkdtempSync("/dev/shm/task-phase-left-");
  t.after(() => [root, left].forEach((folder) => void rmSync(folder, { recursive: true })));
  for (const name of ["repo/node_modules/.bin", "runner/copy", "runner/work", "home", "tasks"])
    mkdirSync(path.join(root, name), { recursive: true });
  const at = (name: string): string => path.join(root, name);
  for (const file of [at("repo/answer"), path.join(left, "answer"), at("runner/copy/work")]) writeFileSync(file, "42");
  const since = Date.now();
  while (Date.now() <= since + 20);
  writeFileSync(at("parts"), "42");
  const { sandbox, reason, isSeen } = separateCells(at("repo"), at("tasks"), [at("runner")], {
    // As npx and npm's scripts put it; in a copy that is the copy's own.
    env: { PATH: `${at("repo/node_modules/.bin")}:${searchPath}` },
    home: at("home"),
    isNew: (birth: number) => birth > since,
  });
  assert.equal(reason, null);
  assert(sandbox !== null);
  const run = (script: string): string => {
    const [program = "", ...words] = sandbox.wrap(["sh", "-c", script], at("runner/copy"), at("runner/work"));
    return execFileSync(program, words, { encoding: "utf8" }).trim();
  };
  assert.equal(run(`cat ${at("repo/answer")} ${left}/answer 2>/dev/null || echo none`), "none");
  // What came to be beside the repo since.
  assert.equal(run(`cat ${at("parts")} 2>/dev/null || echo none`), "none");
  assert.deepEqual(["parts", "repo/a", "home", "tasks"].map(at).map(isSeen), [true, false, true, true]);
  assert.equal(run("cat work; echo made > made; cat made"), "42made");
  assert.equal(run("cat /proc/sys/kernel/hostname"), "elsewhere");
  assert.equal(run("cat /proc/1/comm"), "bwrap");
  assert.equal(run("echo x > /dev/shm/x && cat /dev/shm/x"), "x");
});

test("the temporary folder of a run is seen as /tmp, and one that a variable names stays where it is", skip, (t) => {
  const root = realpathSync(mkdtempSync("/var/tmp/task-phase-separate-"));
  const below = mkdtempSync("/tmp/task-phase-kept-");
  t.after(() => [root, below].forEach((folder) => void rmSync(folder, { recursive: true })));
  for (const name of ["repo", "copy", "work", "home"]) mkdirSync(path.join(root, name));
  const at = (name: string): string => path.join(root, name);
  const separated = (env: NodeJS.ProcessEnv, repo = at("repo")) => {
    const { sandbox } = separateCells(repo, repo, [below], {
      env: { PATH: searchPath, ...env },
      home: at("home"),
      isNew: () => true,
    });
    assert(sandbox !== null);
    return sandbox;
  };
  const { wrap, hasOwnTemporary } = separated({ TMPDIR: "/tmp" });
  assert.equal(hasOwnTemporary, true);
  const run = (script: string): string => {
    const [program = "", ...words] = wrap(["sh", "-c", script], at("copy"), at("work"));
    return execFileSync(program, words, { encoding: "utf8" }).trim();
  };
  assert.equal(run("stat -c %a /tmp; echo 42 > /tmp/named"), "1777");
  // The checks of one run share it, and what the runner keeps in the real one is seen.
  assert.equal(run(`cat /tmp/named; echo 43 > ${below}/kept; ls /tmp`), `42\nnamed\n${path.basename(below)}`);
  assert.equal(readFileSync(path.join(below, "kept"), "utf8"), "43\n");
  assert.equal(readFileSync(at("work/tmp/named"), "utf8"), "42\n");
  assert.equal(existsSync("/tmp/named"), false);
  const others = [{}, { TMPDIR: at("home") }, { TEMP: at("home") }, { TMP: "/tmp/none" }];
  assert.deepEqual(
    others.map((env) => separated(env).hasOwnTemporary),
    [true, false, false, false],
  );
  // A repo in /tmp is seen with what stood beside it.
  const inside = separated({}, below);
  assert.equal(inside.hasOwnTemporary, false);
  assert.equal(inside.wrap(["true"], at("copy"), at("work")).includes(path.join(at("work"), "tmp")), false);
});

test("a folder that cannot be hidden is left visible, and without bubblewrap the reason is given", skip, (t) => {
  const work = mkdtempSync("/var/tmp/task-phase-separate-");
  t.after(() => rmSync(work, { recursive: true }));
  const home = realpathSync(process.env.HOME ?? "/");
  const { sandbox } = separateCells(home, path.join(home, "tasks"), [], {
    env: { PATH: searchPath },
    home,
    isNew: (birth: number) => birth > 0,
  });
  assert(sandbox !== null);
  assert(!sandbox.wrap(["true"], "/", work).join(" ").includes(`--tmpfs ${home} `));
  const { reason, isSeen, ...none } = separateCells("/repo", "/tasks", [], {
    ...{ env: { PATH: "" }, home: "/home/x", isNew: (birth: number) => birth > 0 },
  });
  assert.deepEqual([none.sandbox, reason, isSeen("/repo")], [null, "bubblewrap is not installed", true]);
});

test("a file system that is gone, such as a dead mount beside the repo, stops nothing", skip, (t) => {
  const root = realpathSync(mkdtempSync("/var/tmp/task-phase-separate-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const name of ["repo", "dead", "home", "tasks"]) mkdirSync(path.join(root, name));
  const at = (name: string): string => path.join(root, name);
  const separate = () =>
    separateCells(at("repo"), at("tasks"), [], {
      ...{ env: { PATH: searchPath }, home: at("home"), isNew: (birth: number) => birth > 0 },
    });
  const { sandbox } = refusing("lstatSync", "ENOTCONN", /\/dead$/, separate);
  assert(sandbox !== null);
  const words = refusing("lstatSync", "ENOTCONN", /\/repo$/, () => sandbox.wrap([], root, root));
  assert.doesNotMatch(words.join(" "), /task-phase-separate-\w+\/(?:dead|repo) /);
});

test("folders that this user may not look into stop nothing", skip, (t) => {
  const root = realpathSync(mkdtempSync("/var/tmp/task-phase-separate-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const name of ["above", "above/repo", "closed", "closed/bin"]) mkdirSync(path.join(root, name));
  const at = (name: string): string => path.join(root, name);
  const separate = (programs: string) =>
    separateCells(at("above/repo"), at("above/repo"), [], {
      env: { PATH: `${searchPath}:${programs}` },
      home: root,
      isNew: () => true,
    }).reason;
  symlinkSync(at("ring"), at("ring"));
  assert.equal(separate(at("ring")), null);
  // Root may look everywhere. Other users pass below a folder of root's that they may not list.
  for (const [folder, mode] of [
    [".", 0o755],
    ["closed", 0o700],
    ["above", 0o711],
  ] as const)
    chmodSync(at(folder), mode);
  const user = process.geteuid?.();
  if (user !== 0) return;
  process.seteuid?.(65534);
  try {
    assert.equal(separate(at("closed/bin")), null);
  } finally {
    process.seteuid?.(user);
  }
});
