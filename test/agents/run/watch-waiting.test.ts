import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mock, type TestContext, test } from "node:test";
import fc from "fast-check";
import { followLog, readTextLines, saidIn, watchWaiting } from "../../../lib/agents/run/watch-waiting.ts";
import { makeFolder } from "../../process/arrange.ts";

const now = () => new Date(0);
/** Lets a CLI be silent for as many milliseconds as its line says. */
const reader = { errorLine: (line: string) => (line === "" ? null : Number(line)) };
const line = (text: string) => Buffer.from(`${text}\n`);

test("a refused CLI is ended after too long a silence, and distinguished from a stopped call", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const call = new AbortController();
    const waiting = watchWaiting(reader, { abort: call.signal, now });
    waiting.takeError(line("1000"));
    mock.timers.tick(999);
    waiting.goesOn();
    mock.timers.tick(10_000);
    waiting.takeError(line("1000"));
    mock.timers.tick(999);
    waiting.takeError(line(""));
    mock.timers.tick(10_000);
    assert.equal(waiting.abort?.aborted, false);
    waiting.takeLog(line("1000"));
    mock.timers.tick(999);
    waiting.goesOn();
    mock.timers.tick(10_000);
    assert.equal(waiting.abort?.aborted, false);
    waiting.takeError(Buffer.from("5000\n1000\n"));
    mock.timers.tick(500);
    // The log goes on while the CLI waits.
    waiting.takeLog(line(""));
    mock.timers.tick(499);
    assert.equal(waiting.abort?.aborted, false);
    mock.timers.tick(1);
    assert.deepEqual([waiting.abort?.aborted, waiting.end()], [true, true]);
    const stopped = watchWaiting(reader, { abort: call.signal, now });
    call.abort();
    assert.deepEqual([stopped.abort?.aborted, stopped.end()], [true, false]);
  } finally {
    mock.timers.reset();
  }
});

test("a CLI that tells nothing on standard error is never ended", () => {
  const { signal } = new AbortController();
  const waiting = watchWaiting({}, { abort: signal, now });
  waiting.takeError(line("0"));
  assert.deepEqual([waiting.abort.aborted, waiting.end()], [false, false]);
});

function linesOf(chunks: readonly Uint8Array[]): string[] {
  const lines: string[] = [];
  const write = readTextLines((line) => lines.push(line));
  for (const chunk of chunks) write(chunk);
  return lines;
}

test("lines are the same however the chunks cut them, also within a character", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("é", "a\n", "\n", "\u{1f600}", "word ")),
      fc.integer({ min: 1, max: 5 }),
      (parts, size) => {
        const text = parts.join("");
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        assert.deepEqual(linesOf(chunks), text.split("\n").slice(0, -1));
      },
    ),
  );
});

test("of a line without end only the beginning is kept", () => {
  const chunk = Buffer.from("x".repeat(50_000));
  const [line = "", next] = linesOf([chunk, chunk, chunk, Buffer.from("\nnext\n")]);
  assert.deepEqual([line.length, next], [64 * 1024, "next"]);
});

/** What was handed over, and a step of its clock. */
function follow(t: TestContext, path: string) {
  mock.timers.enable({ apis: ["setInterval"] });
  let text = "";
  const leave = followLog(path, (chunk) => {
    text += Buffer.from(chunk).toString("utf8");
  });
  t.after(() => {
    leave();
    mock.timers.reset();
  });
  return {
    leave,
    taken() {
      mock.timers.tick(500);
      const [said] = [text];
      text = "";
      return said;
    },
  };
}

test("lines of a file that appears late are handed over once", (t) => {
  const file = join(makeFolder(t), "log.txt");
  const log = follow(t, file);
  assert.equal(log.taken(), "");
  writeFileSync(file, "one\n");
  assert.deepEqual([log.taken(), log.taken()], ["one\n", ""]);
  appendFileSync(file, "two\nthr");
  assert.equal(log.taken(), "two\nthr");
  appendFileSync(file, "ee\n");
  assert.equal(log.taken(), "ee\n");
  log.leave();
  appendFileSync(file, "four\n");
  assert.equal(log.taken(), "");
});

test("a log that is larger than what is read at a time is read on", (t) => {
  const file = join(makeFolder(t), "log.txt");
  const text = "0123456789abcde\n".repeat(20_000);
  writeFileSync(file, text);
  const log = follow(t, file);
  assert.equal(log.taken() + log.taken(), text);
});

test("a link, a folder, and a log that is gone say nothing", (t) => {
  const folder = makeFolder(t);
  const [file, other] = [join(folder, "log.txt"), join(folder, "other.txt")];
  const log = follow(t, file);
  writeFileSync(other, "secret\n");
  symlinkSync(other, file);
  assert.equal(log.taken(), "");
  rmSync(file);
  mkdirSync(file);
  assert.equal(log.taken(), "");
  rmSync(file, { recursive: true });
  writeFileSync(file, "its own\n");
  assert.equal(log.taken(), "its own\n");
  rmSync(file);
  assert.equal(log.taken(), "");
});

test("an agent's words and acts are found in the events of each CLI", () => {
  const events: readonly [string, Record<string, unknown>][] = [
    [
      "Now the tests.",
      { type: "assistant", message: { role: "assistant", content: [{ type: "text", text: "Now the tests." }] } },
    ],
    [
      "npm test",
      { type: "assistant", message: { content: [{ type: "tool_use", name: "Bash", input: { command: "npm test" } }] } },
    ],
    ["All done", { type: "result", subtype: "success", result: "All done", session_id: "x" }],
    ["ls lib", { type: "item.started", item: { type: "command_execution", command: "ls lib", status: "in_progress" } }],
    ["I read it", { type: "message", role: "assistant", content: "I read it" }],
    ["Done here", { type: "text", part: { type: "text", text: "Done here" } }],
    ["a.js", { type: "tool_use", part: { tool: "read", state: { input: { filePath: "a.js" } } } }],
  ];
  for (const [said, event] of events) assert.equal(saidIn(event), said);
});

test("the prompt and the results of tools are not the agent's words", () => {
  assert.equal(saidIn({ type: "user", message: { content: [{ type: "text", text: "the prompt" }] } }), null);
  assert.equal(saidIn({ type: "message", message: { role: "user", content: "the prompt" } }), null);
  assert.equal(saidIn({ type: "x", content: [{ type: "tool_result", content: "a file" }] }), null);
  assert.equal(saidIn({ type: "system", text: "init" }), null);
  assert.equal(saidIn({ type: "step", model: "x", usage: { input_tokens: 3 } }), null);
});

test("an event of any depth ends the search", () => {
  let deep: Record<string, unknown> = { text: "deep" };
  for (let level = 0; level < 50_000; level += 1) deep = { inner: deep };
  assert.equal(saidIn(deep), null);
});
