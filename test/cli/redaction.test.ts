import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { withoutMarks } from "../../lib/text/terminal-marks.ts";
import { agentPath } from "../fake-agents/agent-path.ts";
import { receive } from "../notify/arrange.ts";
import { eventsAt, withFields } from "./task-states.ts";
import { makeTaskWorld } from "./task-world.ts";

/** Underscore, ampersand and `é`: Markdown, HTML and a reader of bytes each write one of them in another way. */
const value = "corréct_horse&bat*ery-<9>";
const token = `ghp_${"aB3dE6gH9k".repeat(4).slice(0, 36)}`;
const grep = (text: string): string =>
  `${text.slice(0, 9)}\x1b[01;31m\x1b[K${text.slice(9, 17)}\x1b[m\x1b[K${text.slice(17)}`;

/** Lines of a script that says the secrets in two writes each, the first one cut within a character, and coloured. */
function speak(to: 1 | 2): string {
  const write = (text: Uint8Array | string): string =>
    `printf '${[...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}' >&${to}\n`;
  const bytes = Buffer.from(`error: value ${value}.\n`);
  const cut = bytes.indexOf("é") + 1;
  return [
    write(bytes.subarray(0, cut)),
    "sleep 0.02\n",
    write(bytes.subarray(cut)),
    write(`token ${token.slice(0, 20)}`),
    "sleep 0.02\n",
    write(`${token.slice(20)}\n${grep(token)} and ${grep(value)} in colour\n`),
  ].join("");
}

test("neither a secret value nor a token reaches what the runner writes, prints, sends or commits", async (t) => {
  const world = makeTaskWorld(t);
  const there = await receive(t, 200);
  const agent = world.write("agent.sh", `${speak(1)}${speak(2)}exec /bin/sh "${agentPath("lays-over.sh")}" "$1"\n`);
  const check = `${speak(1)}${speak(2)}test -f good.txt\n`;
  const task = await world.makeTask("leaks", {
    state: { phase: "verify" },
    repo: { "check.sh": check },
    contract: [
      `validators: [{ name: tests, command: [/bin/sh, check.sh, '${token}'], timeout: 30s }]`,
      "budget: { passes: 9 }",
    ],
    events: (place) => eventsAt("verify", place),
  });
  world.write(
    "cases/leaks/tasks/task-phase.yaml",
    [
      "checkpoint: commit",
      `notify: { webhook: "${there.origin}" }`,
      `models: [{ name: prepared, adapter: command, command: [/bin/sh, ${agent}, ${world.path("cases/leaks/proposals")}] }]\n`,
    ].join("\n"),
  );
  const git = (...args: string[]) => world.git("cases/leaks/repo", ...args);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");

  const said: string[] = [];
  const call = async (command: string, ...args: string[]): Promise<number | null> => {
    const words = [command, "--task-dir", task.taskDir, "--verbose", ...args];
    const end = await world.call("task-phase", words, { env: { MY_PASSWORD: value } });
    said.push(end.stdout, end.stderr);
    return end.code;
  };
  const leak = `${value} and ${token}`;
  const output = `${leak}\n${grep(token)}\n<promise>COMPLETE</promise>\n`;
  const own = {
    [`artifacts/${value}.txt`]: leak,
    [`artifacts/${token}.log`]: grep(leak),
    "TASKS.md": `- [x] ${leak}\n`,
  };
  const state = (phase: string, fields = {}): string => withFields(task.state(), { Phase: phase, ...fields });

  // Rejected, since the proposal itself holds them.
  task.propose({
    output,
    task: { ...own, "STATE.md": state("review").replace("\n## Notes", () => `\n- ${leak}\n\n## Notes`) },
    repo: { [`${token}.txt`]: leak, [`${value}.txt`]: leak },
  });
  assert.equal(await call("run", "--json"), 20);
  // Sent to repair, since the check fails: tickets, a failure vector, a prompt with both.
  task.propose({ output, task: { "STATE.md": state("review") } });
  assert.equal(await call("run"), 0);
  task.propose({ output, task: { "STATE.md": state("verify") }, repo: { "good.txt": leak } });
  assert.equal(await call("run", "--json"), 0);
  task.propose({ output, task: { "STATE.md": state("review") } });
  assert.equal(await call("run", "--json"), 0);
  task.propose({ output, task: { "STATE.md": state("done", { "Candidate done": "yes" }) } });
  assert.equal(await call("run", "--json"), 0);
  assert.equal(task.exists("SUMMARY.md"), true);
  for (const command of ["evidence", "status", "check"]) assert.equal(await call(command, "--json"), 0);

  const files = readdirSync(task.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.startsWith(path.join(task.folder, "tasks")))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !/README\.md$|TASKS\.md$|artifacts\/[^/]*\.(txt|log)$/.test(file));
  const wrote = files.map((file) => [path.relative(task.folder, file), readFileSync(file)] as const);
  const found = [
    ...wrote,
    ...said.map((text, index) => [`output ${index}`, Buffer.from(text)] as const),
    ["commits", Buffer.from(git("log", "--format=%B"))] as const,
    ...there.received.map(({ body }) => ["webhook", Buffer.from(body)] as const),
  ].flatMap(([name, bytes]) => readable(bytes).map((secret) => `${name}: ${secret}`));
  assert.deepEqual(found, []);
  const redacted = wrote
    .filter(([, bytes]) => /\[redacted:(env|github)\]/.test(bytes.toString()))
    .map(([name]) => path.basename(name));
  const expected = [
    "EVIDENCE.md",
    "SUMMARY.md",
    "changes.patch",
    "evidence.html",
    "journal.jsonl",
    "last_error.txt",
    "pass.json",
    "prompt.md",
  ];
  const logs = ["STATE.proposed.md", "stderr.log", "stdout.log", "tests.log", "tickets.md"];
  assert.deepEqual(
    [...expected, ...logs].filter((name) => !redacted.includes(name)),
    [],
  );
});

/** The parts of the secrets that whoever opens this can read, however the bytes are taken. */
function readable(bytes: Buffer): string[] {
  const text = bytes.toString("utf8");
  const plain = (html: string): string =>
    html
      .replace(/<[a-z/][^<>]*>/gi, "")
      .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
      .replace(/&lt;/g, "<")
      .replace(/&gt;/g, ">")
      .replace(/&quot;/g, '"')
      .replace(/&amp;/g, "&")
      .replace(/\\([^a-z0-9])/g, "$1");
  const forms = [
    text,
    withoutMarks(text),
    bytes.toString("latin1"),
    plain(text),
    withoutMarks(plain(text)),
    decoded(text),
  ];
  const secrets = [value, token, Buffer.from(value).toString("latin1"), encodeURIComponent(value)];
  return secrets.flatMap((secret) =>
    Array.from({ length: secret.length - 11 }, (_, at) => secret.slice(at, at + 12)).filter((part) =>
      forms.some((form) => form.includes(part)),
    ),
  );
}

function decoded(text: string): string {
  return text.replace(/(?:%[0-9A-F]{2})+/gi, (codes) => Buffer.from(codes.replaceAll("%", ""), "hex").toString("utf8"));
}
