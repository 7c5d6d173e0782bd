import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, test } from "node:test";
import {
  findBwrap,
  findInside,
  isUnder,
  type Mount,
  sandboxArgv,
  setupProblem,
  temporaryFolder,
  trySandbox,
} from "../../lib/process/bwrap.ts";
import { blockUntil, lives, makeFolder, pidIn, run } from "./arrange.ts";
import { noSandbox } from "./can-sandbox.ts";

const bwrap = findBwrap(process.env.PATH ?? "", []) ?? "bwrap";

function writeProgram(path: string, text: string): string {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

/** From the first writable mount on: what comes before is the same for every sandbox of this machine. */
function mountsOf(argv: readonly string[]): string[] {
  return argv
    .slice(argv.indexOf("--bind"))
    .join(" ")
    .split(/ (?=--)/);
}

function argvOf(mounts: readonly Mount[]): string[] {
  return sandboxArgv({ bwrap: "/usr/bin/bwrap", mounts, temporary: "/work/tmp", cwd: "/repo", argv: ["agent", "-p"] });
}

describe("the command line", () => {
  test("deeper paths come later, so that they lie on top", () => {
    const argv = argvOf([
      { kind: "read_only", path: "/repo/tasks/T-1/README.md" },
      { kind: "empty", path: "/home/me/state" },
      { kind: "writable", path: "/repo/tasks/T-1" },
      { kind: "read_only", path: "/repo/tasks" },
      { kind: "writable", path: "/repo" },
    ]);
    assert.deepEqual(mountsOf(argv), [
      `--bind /work/tmp ${temporaryFolder}`,
      "--bind /repo /repo",
      "--ro-bind /repo/tasks /repo/tasks",
      "--tmpfs /home/me/state",
      "--bind /repo/tasks/T-1 /repo/tasks/T-1",
      "--ro-bind /repo/tasks/T-1/README.md /repo/tasks/T-1/README.md",
      "--remount-ro /home/me/state",
      `--setenv TMPDIR ${temporaryFolder}`,
      "--chdir /repo",
      "-- agent -p",
    ]);
  });

  test("the strictest of several rules for one path holds", () => {
    const argv = argvOf([
      { kind: "read_only", path: "/repo/a" },
      { kind: "writable", path: "/repo/a" },
      { kind: "writable", path: "/repo/b" },
      { kind: "empty", path: "/repo/b" },
    ]);
    assert.deepEqual(mountsOf(argv).slice(1, 3), ["--ro-bind /repo/a /repo/a", "--tmpfs /repo/b"]);
  });

  test("an empty path that is a file is the null device, which nothing opens there", (t) => {
    const file = join(realpathSync(makeFolder(t)), "key");
    writeFileSync(file, "secret");
    assert.deepEqual(
      mountsOf(
        argvOf([
          { kind: "writable", path: "/repo" },
          { kind: "empty", path: file },
        ]),
      ).slice(1, -3),
      ["--bind /repo /repo", `--ro-bind /dev/null ${file}`],
    );
  });

  test("a repo that holds the temporary folder is not hidden by another one", () => {
    const argv = argvOf([{ kind: "writable", path: temporaryFolder }]);
    assert.equal(argv.includes("/work/tmp"), false);
    assert.deepEqual(mountsOf(argv)[0], `--bind ${temporaryFolder} ${temporaryFolder}`);
  });

  test("words with spaces, line breaks and leading dashes arrive as they are", { skip: noSandbox }, async (t) => {
    const folder = realpathSync(makeFolder(t));
    const odd = join(folder, "a b\n--ro-bind");
    mkdirSync(odd);
    const argv = sandboxArgv({
      bwrap,
      mounts: [
        { kind: "read_only", path: folder },
        { kind: "writable", path: odd },
      ],
      temporary: folder,
      cwd: odd,
      argv: ["sh", "-c", 'printf "%s|" "$@" "$PWD"; touch here', "sh", "--bind", "a\nb", ""],
    });
    const { end, stdout } = await run(folder, argv, { wrapped: true });
    assert.deepEqual([end.exitCode, stdout], [0, `--bind|a\nb||${odd}|`]);
    assert(existsSync(join(odd, "here")));
  });
});

describe("finding bubblewrap", () => {
  test("the first on PATH is taken, and relative entries do not count", (t) => {
    const folder = makeFolder(t);
    for (const name of ["one", "two"]) {
      mkdirSync(join(folder, name));
      writeProgram(join(folder, name, "bwrap"), "#!/bin/sh\n");
    }
    assert.equal(findBwrap(`:bin:${folder}/none:${folder}/one:${folder}/two`, []), join(folder, "one", "bwrap"));
    const lead = relative(process.cwd(), join(folder, "one"));
    assert.equal(findBwrap(`${folder}/none:${lead}`, []), null);
    assert.equal(findBwrap("", []), null);
  });

  test("a bubblewrap that a pass can write is not used, however PATH leads to it", (t) => {
    const folder = realpathSync(makeFolder(t));
    const repo = join(folder, "repo");
    for (const name of [repo, join(folder, "safe"), join(folder, "linked")]) mkdirSync(name);
    writeProgram(join(repo, "bwrap"), "#!/bin/sh\n");
    symlinkSync(join(repo, "bwrap"), join(folder, "linked", "bwrap"));
    writeProgram(join(folder, "safe", "bwrap"), "#!/bin/sh\n");
    assert.equal(findBwrap(`${repo}:${folder}/linked:${folder}/safe`, [repo]), join(folder, "safe", "bwrap"));
    assert.equal(findBwrap(repo, [repo]), null);
  });
});

describe("trying it", () => {
  test("it works where the tests of the sandbox run", { skip: noSandbox }, () => {
    assert.equal(trySandbox(bwrap), null);
  });

  test("its error message is handed on, shortened", (t) => {
    const folder = makeFolder(t);
    const refuses = writeProgram(
      join(folder, "refuses"),
      `#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n`,
    );
    assert.equal(trySandbox(refuses), "bwrap: No permissions to create new namespace");
    assert.equal(trySandbox(writeProgram(join(folder, "silent"), "#!/bin/sh\nexit 7\n")), "it ended with 7");
    assert.match(trySandbox(join(folder, "missing")) ?? "", /ENOENT/);
  });

  test("only a lone complaint of bubblewrap itself says that the program never started", () => {
    const end = (stderrTail: string, exitCode = 1, bytes = 0) =>
      setupProblem({ exitCode, stdout: { bytes }, stderrTail });
    assert.equal(
      end("bwrap: execvp agent: No such file or directory\n"),
      "bwrap: execvp agent: No such file or directory",
    );
    assert.equal(end("bwrap: Can't mkdir /x: Read-only file system\n", 2), null);
    assert.equal(end("bwrap: Can't mkdir /x: Read-only file system\n", 1, 5), null);
    assert.equal(end("bwrap: nothing\nthe agent's own words\n"), null);
    assert.equal(end(""), null);
  });
});

describe("the processes inside", { skip: noSandbox }, () => {
  const inSandbox = (folder: string, script: string) =>
    sandboxArgv({
      bwrap,
      mounts: [{ kind: "writable", path: folder }],
      temporary: folder,
      cwd: folder,
      argv: ["sh", "-c", script],
    });
  /** Its time counts from when it has made the file. */
  const fromReady = (folder: string) => ({ onStart: () => blockUntil(() => existsSync(join(folder, "ready"))) });

  test("the program hears INT first, then TERM, and can still say its last word", async (t) => {
    const folder = realpathSync(makeFolder(t));
    const said = (signal: string) => `trap 'echo ${signal} >> said; ${signal === "TERM" ? "exit 3" : ":"}' ${signal};`;
    const script = `${said("INT")} ${said("TERM")} : > ready; while :; do sleep 0.02; done`;
    const { end } = await run(folder, inSandbox(folder, script), {
      wrapped: true,
      stopSignal: "SIGINT",
      timeoutMs: 400,
      graceMs: 300,
      ...fromReady(folder),
    });
    assert.deepEqual([end.kind, end.exitCode, end.problem], ["timed_out", 3, null]);
    assert.equal(readFileSync(join(folder, "said"), "utf8"), "INT\nTERM\n");
  });

  test("a process that ignores both signals is killed with the sandbox", async (t) => {
    const folder = realpathSync(makeFolder(t));
    const script = "trap '' TERM INT; : > ready; while :; do sleep 0.02; done";
    const { end } = await run(folder, inSandbox(folder, script), {
      wrapped: true,
      timeoutMs: 300,
      graceMs: 100,
      ...fromReady(folder),
    });
    assert.deepEqual([end.kind, end.problem], ["timed_out", null]);
    assert(end.ended.some((one) => one.command === "bwrap") && end.ended.some((one) => one.command === "sh"));
  });

  test("a process that it left in another session, without mark and descriptors, ends with it", async (t) => {
    const folder = realpathSync(makeFolder(t));
    const left = "setsid env -i sh -c 'exec 3>&- >/dev/null 2>&1; echo up > left; sleep 60 & wait' &";
    const script = `${left} until [ -s left ]; do sleep 0.02; done; echo done`;
    let head = 0;
    const { end, stdout } = await run(folder, inSandbox(folder, script), {
      wrapped: true,
      onStart: ({ pid }) => {
        head = pid;
      },
    });
    assert.deepEqual([end.kind, end.exitCode, stdout, end.problem], ["exited", 0, "done\n", null]);
    assert.equal(lives(head), false);
  });

  test("its number outside is found while it runs, and does not exist before and after", async (t) => {
    const folder = realpathSync(makeFolder(t));
    const identity = { pid: 0, startTime: "", bootId: "", command: "bwrap" };
    let inside: number | null = null;
    const script = "sleep 60 & echo $! > other; until [ -e go ]; do sleep 0.02; done; kill $!";
    await run(folder, inSandbox(folder, script), {
      wrapped: true,
      onStart(head) {
        identity.pid = head.pid;
        const timer = setInterval(() => {
          if (!existsSync(join(folder, "other"))) return;
          inside = findInside(head);
          clearInterval(timer);
          writeFileSync(join(folder, "go"), "");
        }, 20);
      },
    });
    assert(inside !== null && inside !== identity.pid && inside !== pidIn(join(folder, "other")));
    assert.equal(findInside(identity), null);
  });
});

test("a path is under a folder by whole names", () => {
  assert.deepEqual(
    [
      isUnder("/a", ["/a"]),
      isUnder("/a/b", ["/x", "/a"]),
      isUnder("/ab", ["/a"]),
      isUnder("/b", ["/"]),
      isUnder("/", []),
    ],
    [true, true, false, true, false],
  );
});
