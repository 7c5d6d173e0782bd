import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Asking } from "../../../lib/agents/inspect/ask-program.ts";
import { type CliFacts, inspectBwrap, inspectCli, inspectTool } from "../../../lib/agents/inspect/inspect-cli.ts";
import type { CliName } from "../../../lib/documents/config/adapter-names.ts";
import { makeFolder } from "../../process/arrange.ts";
import { findLiving } from "../../process/find-living.ts";
import { answers, makeAsking, writePrograms } from "../programs.ts";

interface Inspected {
  readonly facts: CliFacts;
  readonly bin: string;
}

async function inspect(
  t: TestContext,
  name: CliName,
  lines: string,
  more: {
    readonly env?: Record<string, string>;
    readonly variables?: readonly string[];
    readonly asking?: Partial<Asking>;
    readonly timeoutMs?: number;
  } = {},
): Promise<Inspected> {
  const bin = writePrograms(makeFolder(t), { [name]: lines });
  const env = { PATH: bin, ...more.env };
  const facts = await inspectCli(name, makeAsking(t, more.asking), {
    env,
    variables: more.variables ?? [],
    timeoutMs: more.timeoutMs ?? 10_000,
  });
  return { facts, bin };
}

test("a CLI says its version and whether somebody is logged in", async (t) => {
  const { facts, bin } = await inspect(
    t,
    "claude",
    answers({ "--version": "echo '2.1.330 (Claude Code)'", auth: 'test "$*" = "auth status"' }),
  );
  assert.deepEqual(facts, {
    name: "claude",
    path: join(bin, "claude"),
    version: "2.1.330",
    versionText: "2.1.330 (Claude Code)",
    callable: true,
    problem: null,
    timedOut: false,
    login: "yes",
  });
});

test("a CLI that is not on PATH is not asked anything", async (t) => {
  const facts = await inspectCli("pi", makeAsking(t), { env: {}, variables: [], timeoutMs: 10_000 });
  assert.deepEqual(facts, {
    name: "pi",
    path: null,
    version: null,
    versionText: null,
    callable: null,
    problem: null,
    timedOut: false,
    login: "unknown",
  });
});

test("a missing login is reported, unless a key is passed on", async (t) => {
  const lines = answers({ "--version": "echo codex-cli 0.169.0", login: "echo 'Not logged in' >&2; exit 1" });
  const without = await inspect(t, "codex", lines, { env: { CODEX_API_KEY: "k" } });
  assert.equal(without.facts.login, "no");
  const withKey = await inspect(t, "codex", lines, { env: { CODEX_API_KEY: "k" }, variables: ["CODEX_API_KEY"] });
  assert.equal(withKey.facts.login, "unknown");
  const empty = await inspect(t, "codex", lines, { env: { CODEX_API_KEY: "" }, variables: ["CODEX_API_KEY"] });
  assert.equal(empty.facts.login, "no");
});

test("a login check that cannot be made, hangs or does not exist leaves the login unknown", async (t) => {
  const version = { "--version": "echo 1.2.3" };
  const hanging = { ...version, auth: "exec sleep 30" };
  const ends = [
    await inspect(t, "claude", answers({ ...version, auth: "exit 7" })),
    await inspect(t, "claude", answers(hanging), { timeoutMs: 2_000 }),
    await inspect(t, "gemini", answers(version)),
  ];
  assert.deepEqual(
    ends.map(({ facts }) => [facts.callable, facts.login]),
    [
      [true, "unknown"],
      [true, "unknown"],
      [true, "unknown"],
    ],
  );
});

test("a program that hangs on --version is ended in time and is not callable", async (t) => {
  const folder = makeFolder(t);
  const { facts } = await inspect(t, "gemini", `exec sh -c 'sleep 30; :' ${folder}`, { timeoutMs: 300 });
  assert.deepEqual(
    [facts.callable, facts.problem, facts.timedOut],
    [false, "--version did not end within 0.3 s", true],
  );
  assert.deepEqual(findLiving(folder), []);
});

test("a program that fails is reported with its most telling line", async (t) => {
  const lines = "echo 'file:///x.js:2' >&2; echo 'SyntaxError: no such export' >&2; echo 'Node.js v20' >&2; exit 1";
  const { facts } = await inspect(t, "pi", lines);
  assert.deepEqual([facts.callable, facts.problem], [false, "it ended with exit code 1: SyntaxError: no such export"]);
  const silent = await inspect(t, "pi", "exit 3");
  assert.equal(silent.facts.problem, "it ended with exit code 3");
  const killed = await inspect(t, "pi", "kill -9 $$");
  assert.equal(killed.facts.problem, "it was killed by a signal");
});

test("a program that the system cannot start is not callable", async (t) => {
  const bin = writePrograms(makeFolder(t), { opencode: "" });
  writeFileSync(join(bin, "opencode"), "#!/nowhere/interpreter\n");
  const facts = await inspectCli("opencode", makeAsking(t), { env: { PATH: bin }, variables: [], timeoutMs: 10_000 });
  assert.equal(facts.callable, false);
  assert.equal(
    facts.problem,
    `${join(bin, "opencode")} exists, but the interpreter that its first line names does not`,
  );
});

test("a version on standard error counts where standard output is empty", async (t) => {
  assert.equal((await inspect(t, "pi", "echo 0.74.2 >&2")).facts.version, "0.74.2");
  const both = await inspect(t, "codex", answers({ "--version": "echo 'warning: 9.9.9' >&2; echo codex-cli 0.169.0" }));
  assert.equal(both.facts.version, "0.169.0");
});

test("a version after other lines is found, and no version leaves the words", async (t) => {
  const later = await inspect(t, "gemini", "echo 'a notice'; echo; echo 'v0.61.0'");
  assert.deepEqual([later.facts.version, later.facts.versionText], ["0.61.0", "v0.61.0"]);
  const words = await inspect(t, "gemini", "echo nightly build");
  assert.deepEqual([words.facts.callable, words.facts.version, words.facts.versionText], [true, null, "nightly build"]);
  const nothing = await inspect(t, "gemini", "exit 0");
  assert.deepEqual([nothing.facts.callable, nothing.facts.version, nothing.facts.versionText], [true, null, null]);
});

test("colours in a version are taken away, and what a terminal would obey is written out", async (t) => {
  const { facts } = await inspect(t, "gemini", "printf '\\033[32m1.2.3\\033[0m \\007name\\n'");
  assert.deepEqual([facts.version, facts.versionText], ["1.2.3", "1.2.3 \\x07name"]);
});

test("megabytes of output are read to their end, and little of them is kept", async (t) => {
  const { facts } = await inspect(t, "gemini", "echo 1.2.3; head -c 5000000 /dev/zero | tr '\\0' x");
  assert.deepEqual([facts.version, facts.versionText, facts.callable], ["1.2.3", "1.2.3", true]);
  const late = await inspect(t, "gemini", "head -c 100000 /dev/zero | tr '\\0' x; echo; echo 1.2.3");
  assert.deepEqual([late.facts.version, late.facts.versionText?.length], [null, 80]);
});

test("it gets an empty standard input, the adapter's settings and only the variables that are passed on", async (t) => {
  const folder = makeFolder(t);
  const lines = `test "$1" = --version || exit 0\ncat > ${folder}/stdin; env > ${folder}/env; pwd > ${folder}/pwd; echo 1.2.3`;
  const env = { HOME: folder, MY_KEY: "kept-out-of-it", ANTHROPIC_API_KEY: "passed-on-to-it" };
  const asking = makeAsking(t);
  await inspect(t, "pi", lines, { env, variables: ["ANTHROPIC_API_KEY"], asking });
  const seen = readFileSync(join(folder, "env"), "utf8").split("\n");
  assert.deepEqual(
    ["PI_OFFLINE=1", `HOME=${folder}`, "ANTHROPIC_API_KEY=passed-on-to-it"].filter((line) => !seen.includes(line)),
    [],
  );
  assert.equal(
    seen.some((line) => line.startsWith("MY_KEY=") || line.startsWith("TASK_PHASE_PASS=")),
    false,
  );
  assert.equal(readFileSync(join(folder, "stdin"), "utf8"), "");
  assert.equal(readFileSync(join(folder, "pwd"), "utf8").trim(), asking.scratch);
});

test("secrets in what it says are taken out", async (t) => {
  const redact = {
    ...makeAsking(t).redactor,
    redact: (text: string) => text.replaceAll("hunter2hunter2", "[redacted]"),
  };
  const { facts } = await inspect(t, "gemini", "echo 1.2.3 hunter2hunter2", { asking: { redactor: redact } });
  assert.equal(facts.versionText, "1.2.3 [redacted]");
});

test("a call that is stopped leaves what is not known as not known", async (t) => {
  const folder = makeFolder(t);
  const abort = AbortSignal.abort("SIGINT");
  const { facts } = await inspect(t, "claude", `touch ${folder}/started`, { asking: { abort } });
  assert.deepEqual([facts.callable, facts.problem, facts.login], [null, null, "unknown"]);
  assert.equal(existsSync(join(folder, "started")), false);
});

const missing = { path: null, version: null, usable: null, problem: null };

test("git says its version", async (t) => {
  const bin = writePrograms(makeFolder(t), { git: "echo git version 2.39.5" });
  assert.deepEqual(await inspectTool("git", makeAsking(t), { PATH: bin }), {
    path: join(bin, "git"),
    version: "2.39.5",
    usable: true,
    problem: null,
  });
  assert.deepEqual(await inspectTool("git", makeAsking(t), {}), missing);
});

test("a git that fails is not usable", async (t) => {
  const bin = writePrograms(makeFolder(t), { git: "echo 'xcrun: error: invalid developer path' >&2; exit 1" });
  const { usable, problem } = await inspectTool("git", makeAsking(t), { PATH: bin });
  assert.deepEqual([usable, problem], [false, "it ended with exit code 1: xcrun: error: invalid developer path"]);
});

test("bwrap is usable only where it really started a program", async (t) => {
  const folder = makeFolder(t);
  const version = 'if [ "$1" = --version ]; then echo bubblewrap 0.8.0; exit; fi';
  const cases = {
    good: `${version}\ncase "$*" in *"--ro-bind / /"*" -- $0 --version") exit 0;; esac\nexit 1`,
    refused: `${version}\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1`,
    hangs: `${version}\nexec sleep 30`,
    broken: "exit 127",
  };
  const found: unknown[] = [];
  // One after the other: each begins its time when the one before has let this process go.
  for (const [name, lines] of Object.entries(cases)) {
    const bin = writePrograms(join(folder, name), { bwrap: lines });
    const { version: said, usable, problem } = await inspectBwrap(makeAsking(t), { PATH: bin }, 2_000);
    found.push([name, said, usable, problem]);
  }
  assert.deepEqual(found, [
    ["good", "0.8.0", true, null],
    ["refused", "0.8.0", false, "it ended with exit code 1: bwrap: setting up uid map: Permission denied"],
    ["hangs", "0.8.0", false, "it did not end within 2 s"],
    ["broken", null, false, "it ended with exit code 127"],
  ]);
  assert.deepEqual(await inspectBwrap(makeAsking(t), { PATH: folder }), missing);
});
