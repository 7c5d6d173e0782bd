import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { execa } from "execa";
import { programWords, type RunEnd, readEnd } from "../cli/arrange.ts";
import {
  type BadWorld,
  type Drivers,
  differences,
  goodBrief,
  makeTemplates,
  readTree,
  startDrivers,
  type WorldMaker,
} from "../cli/bad-input-world.ts";
import { wish } from "../cli/brief-file.ts";
import { patienceMs } from "../patience.ts";

/** What only a process of its own can meet: folders that went away, users, mounts, what is on PATH. */

interface How {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A user that may read the world and write nothing of it but the state folder. */
  readonly uid?: number;
  /** Put before the command line, as `unshare` wants it. */
  readonly through?: readonly string[];
}

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

async function spawnCommand(world: BadWorld, argv: readonly string[], how: How = {}): Promise<RunEnd> {
  const env = Object.fromEntries(
    Object.entries({ ...world.env, ...how.env }).filter(([, value]) => value !== undefined),
  );
  const [program = "", ...words] = [...(how.through ?? []), process.execPath, ...programWords("task-phase"), ...argv];
  const end = await execa(program, words, {
    cwd: how.cwd ?? world.folder,
    env: env as Record<string, string>,
    extendEnv: false,
    stdin: "ignore",
    ...(how.uid === undefined ? {} : { uid: how.uid, gid: how.uid }),
    timeout: patienceMs,
    killSignal: "SIGKILL",
    stripFinalNewline: false,
    reject: false,
  });
  return readEnd(end);
}

interface Said {
  readonly exit_code: number;
  readonly findings: readonly {
    readonly code: string;
    readonly message: string;
    readonly file: string;
    readonly fix: string;
  }[];
}

/** Another user, with a state folder of its own; without root, this one, whose rights count anyway. */
function asNobody(world: BadWorld): How {
  const state = world.path("state", "of-nobody");
  mkdirSync(state, { recursive: true });
  for (const folder of [world.path("state"), state]) chmodSync(folder, 0o777);
  return { env: { XDG_STATE_HOME: state }, ...(isRoot ? { uid: nobody } : {}) };
}

/** One JSON object, no stack trace, and the code on both sides. */
function readSaid(end: RunEnd): Said {
  assert.match(end.stdout, /^\{[^\n]*\}\n$/, end.stderr);
  assert.doesNotMatch(end.stderr, /^\s+at .*[:(]/m);
  const said = JSON.parse(end.stdout) as Said;
  assert.equal(said.exit_code, end.code);
  return said;
}

function showSaid(end: RunEnd): string {
  return [end.code, ...readSaid(end).findings.map((finding) => finding.code)].join(" ");
}

describe("the surroundings of the process", { concurrency: 2 }, () => {
  let drivers: Drivers;
  let maker: WorldMaker;
  before(async () => {
    drivers = startDrivers(1);
    maker = await makeTemplates(drivers);
    chmodSync(maker.folder, 0o755);
  });
  after(async () => {
    await drivers.close();
    maker.remove();
  });

  test("the folder of the call was deleted: said so, with and without an absolute --task-dir", async () => {
    const world = maker.make("fresh");
    const gone = (argv: string) => ["sh", "-c", `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@" ${argv}`];
    for (const words of ["status --json", `run --json --task-dir '${world.task}'`]) {
      const end = await spawnCommand(world, [], { through: gone(words) });
      assert.equal(showSaid(end), "64 TP_USAGE_NO_CWD", words);
      assert.match(readSaid(end).findings[0]?.fix ?? "", /an existing directory/);
    }
  });

  test("HOME is not set: the system's own is taken", async () => {
    const world = maker.make("fresh");
    const end = await spawnCommand(world, ["run", "--dry-run", "--json", "--task-dir", world.task], {
      env: { HOME: undefined },
    });
    assert.equal(showSaid(end), "0");
  });

  test("git is not on PATH and the repo is one of git: a failure that names git, before the model is called", async () => {
    const world = maker.make("fresh");
    world.put(
      "/repo/tasks/task-phase.yaml",
      "models: [{ name: a, adapter: command, command: [/bin/sh, -c, 'touch called'] }]\n",
    );
    world.put("README.md", goodBrief.replace("[test, -d, src]", `[${process.execPath}, -e, ""]`));
    const env = { PATH: world.path("home") };
    const dry = await spawnCommand(world, ["run", "--dry-run", "--json", "--task-dir", world.task], { env });
    assert.equal(showSaid(dry), "1 TP_GIT");
    assert.match(readSaid(dry).findings[0]?.message ?? "", /git is not (there|on the PATH)/);
    const end = await spawnCommand(world, ["run", "--json", "--task-dir", world.task], { env });
    assert.equal(showSaid(end), "1 TP_GIT");
    assert.deepEqual(readdirSync(world.repo).sort(), [".git", "src", "tasks"]);
    assert.doesNotMatch(world.read("artifacts/journal.jsonl"), /pass_started/);
  });

  test("a file that this user may not read", {
    skip: isRoot && spawnSync("true", { uid: nobody }).status !== 0 ? "no other user can be taken" : false,
  }, async () => {
    for (const [file, code] of [
      ["STATE.md", "65 TP_TASK_FILE"],
      ["README.md", "65 TP_TASK_FILE"],
      ["/repo/tasks/task-phase.yaml", "78 TP_CONFIG_FILE"],
    ] as const) {
      const world = maker.make("fresh");
      chmodSync(path.resolve(world.task, file.startsWith("/") ? world.path(file) : file), 0o000);
      const how = asNobody(world);
      const before = isRoot ? readTree(world.folder) : new Map<string, string>();
      const ends = await Promise.all([
        spawnCommand(world, ["check", "--json", "--task-dir", world.task], how),
        spawnCommand(world, ["run", "--json", "--task-dir", world.task], how),
      ]);
      for (const end of ends) {
        assert.equal(showSaid(end), code);
        assert.match(readSaid(end).findings[0]?.message ?? "", /cannot be read \(EACCES\)/);
      }
      if (isRoot) assert.deepEqual(differences(before, readTree(world.folder)), []);
    }
  });

  test("a task folder that this user may not write to is named in the error, and nothing is half written", async (t) => {
    if (isRoot && spawnSync("true", { uid: nobody }).status !== 0) return t.skip("no other user can be taken");
    const world = maker.make("fresh");
    const how = asNobody(world);
    if (!isRoot) for (const folder of [path.dirname(world.task), world.task]) chmodSync(folder, 0o555);
    const before = readTree(world.folder);
    const argvs = [["run"], ["evidence"], ["resume", "--to", "shape", "--reason", "x"]];
    const ends = await Promise.all(
      argvs.map((argv) => spawnCommand(world, [...argv, "--json", "--task-dir", world.task], how)),
    );
    for (const end of ends) {
      assert.equal(showSaid(end), "1 TP_DISK");
      assert.match(
        readSaid(end).findings[0]?.message ?? "",
        /cannot (?:make the folder|open the lock) .*permission is denied \(EACCES\)/,
      );
    }
    const init = await spawnCommand(world, ["init", "--json", "--task-dir", path.join(world.task, "new")], how);
    assert.equal(showSaid(init), "1 TP_INIT_NOT_WRITABLE");
    assert.deepEqual(
      differences(before, readTree(world.folder)).filter((name) => !name.startsWith("state/of-nobody")),
      [],
    );
  });

  test("a task folder on a disk that is read-only", async (t) => {
    const world = maker.make("fresh");
    const mounted = [
      "unshare",
      "--mount",
      "sh",
      "-c",
      `mount --bind '${world.repo}' '${world.repo}' && mount -o remount,ro,bind '${world.repo}' && exec "$0" "$@"`,
    ];
    const able = spawnSync(mounted[0] ?? "", [...mounted.slice(1), "true"], { env: world.env });
    if (able.status !== 0) return t.skip("no mount of its own can be made");
    for (const argv of [["run"], ["evidence"], ["resume", "--to", "shape", "--reason", "x"]]) {
      const end = await spawnCommand(world, [...argv, "--json", "--task-dir", world.task], { through: mounted });
      assert.equal(showSaid(end), "1 TP_DISK");
      assert.match(readSaid(end).findings[0]?.message ?? "", /the file system is read-only \(EROFS\)/);
      assert.match(readSaid(end).findings[0]?.fix ?? "", /writable/);
    }
    for (const argv of [["status"], ["check"], ["run", "--dry-run"]]) {
      const end = await spawnCommand(world, [...argv, "--json", "--task-dir", world.task], { through: mounted });
      assert.equal(showSaid(end), "0", argv.join(" "));
    }
  });

  test("a path with spaces, quotes, Unicode and a newline simply works", async () => {
    const world = maker.make("fresh");
    const name = 'T-9 it\'s "läuft" 中文 $(x)\nnext';
    const task = path.join(path.dirname(world.task), name);
    const call = (...argv: string[]) => spawnCommand(world, [...argv, "--json", "--task-dir", task]);
    assert.equal(
      showSaid(await call("init", "--id", "T-9", "--title", "Nine", "--validator", "tests=test -d src")),
      "0",
    );
    appendFileSync(path.join(task, "README.md"), `\n${wish}\n`);
    assert.equal(showSaid(await call("run", "--dry-run")), "0");
    assert.equal(showSaid(await call("run")), "23");
    const ends = await Promise.all([call("status"), call("check"), call("evidence")]);
    assert.deepEqual(ends.map(showSaid), ["0", "0", "0"]);
    const root = await spawnCommand(world, ["status", "--json", "--tasks-root", path.dirname(task)]);
    assert.equal(showSaid(root), "0");
  });

  test("Windows line endings in every file simply work, and stay", async () => {
    const world = maker.make("fresh");
    const crlf = (text: string) => text.replaceAll(/\r?\n/g, "\r\n");
    for (const file of ["README.md", "STATE.md", "TASKS.md", "EVIDENCE.md"]) world.put(file, crlf(world.read(file)));
    world.put(
      "DECISIONS.md",
      crlf(
        "# Decisions\n\n## Q1: Which?\n\n- Asked in: intake, pass 1, 2026-01-01T00:00:00Z\n- Question: x\n- Options: a, b\n- Safe default:\n- Deadline:\n- Answer: a\n",
      ),
    );
    const model = `sed -i 's/^- Objective:/- Objective: all of it/; s/^- Done gate:/- Done gate: tests/; s/^- Not doing:/- Not doing: none/; s/^- Reality constraints:/- Reality constraints: none/; s/^- Phase: intake/- Phase: shape/' "$TASK_PHASE_TASK_DIR/STATE.md"; echo done`;
    world.put(
      "/repo/tasks/task-phase.yaml",
      crlf(`models:\n  - { name: a, adapter: command, command: [sh, -c, ${JSON.stringify(model)}] }\n`),
    );
    const call = (...argv: string[]) => spawnCommand(world, [...argv, "--json", "--task-dir", world.task]);
    const end = await call("run");
    assert.equal(showSaid(end), "0", end.stderr);
    const state = world.read("STATE.md");
    assert.match(state, /^- Phase: shape\r$/m);
    assert.doesNotMatch(state, /[^\r]\n/);
    assert.doesNotMatch(world.read("EVIDENCE.md"), /[^\r]\n/);
    assert.deepEqual((await Promise.all([call("status"), call("check"), call("evidence")])).map(showSaid), [
      "0",
      "0",
      "0",
    ]);
  });

  test("a byte-order mark in every file simply works", async () => {
    const world = maker.make("fresh");
    for (const file of ["README.md", "STATE.md", "TASKS.md", "EVIDENCE.md", "/repo/tasks/task-phase.yaml"]) {
      const at = file.startsWith("/") ? world.path(file) : path.join(world.task, file);
      writeFileSync(at, `\ufeff${world.read(file)}`);
    }
    const call = (...argv: string[]) => spawnCommand(world, [...argv, "--json", "--task-dir", world.task]);
    assert.equal(showSaid(await call("run")), "23");
    assert.deepEqual((await Promise.all([call("status"), call("check")])).map(showSaid), ["0", "0"]);
    assert(world.read("STATE.md").startsWith("\ufeff# "));
  });
});
