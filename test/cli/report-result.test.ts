import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import type { CommandResult } from "../../lib/cli/command.ts";
import { readWords } from "../../lib/cli/flag-values.ts";
import { reportResult, writePieces } from "../../lib/cli/report-result.ts";
import { errorFinding, warningFinding } from "../../lib/text/finding.ts";

const warning = warningFinding("TP_W", "odd");
const error = errorFinding("TP_E", "bad");
const base: CommandResult = {
  exitName: "ok",
  json: { tasks: 1 },
  story: ["story"],
  answer: ["answer"],
  findings: [warning],
};

test("the answer goes to stdout, findings and story to stderr", async () => {
  assert.deepEqual(await report(base), { stdout: "answer\n", stderr: "warning: odd [TP_W]\nstory\n" });
});

test("with --json stdout holds the object alone", async () => {
  assert.deepEqual(await report(base, "--json"), {
    stdout: `${JSON.stringify({ command: "status", exit_code: 0, exit_name: "ok", findings: [warning], tasks: 1 })}\n`,
    stderr: "warning: odd [TP_W]\nstory\n",
  });
});

test("a list that is made as it is printed is the list of the object, and is not made where nothing prints it", async () => {
  const items = [{ a: 1, 'b"': "\u2028" }, null, [2]];
  for (const list of [items, items.slice(0, 1), []]) {
    const { stdout } = await report({ ...base, json: { x: undefined, tasks: async () => list, y: [1] } }, "--json");
    const end = { command: "status", exit_code: 0, exit_name: "ok", findings: [warning] };
    assert.equal(stdout, `${JSON.stringify({ ...end, tasks: list, y: [1] })}\n`);
    const lines = { ...base, answer: async () => list.map(String) };
    assert.equal((await report(lines)).stdout, list.map((item) => `${item}\n`).join(""));
  }
  const never = () => assert.fail("made for nothing");
  assert.equal((await report({ ...base, json: { tasks: never } })).stdout, "answer\n");
  assert.equal((await report({ ...base, answer: never, json: { tasks: never } }, "--quiet")).stdout, "");
  assert.equal((await report({ ...base, answer: never, json: {} }, "--json")).stdout.at(-1), "\n");
});

test("a command's own keys never replace the exit", async () => {
  const { stdout } = await report(
    { ...base, exitName: "blocked", json: { exit_code: 0, findings: [] } },
    "--json",
    "--quiet",
  );
  assert.deepEqual(JSON.parse(stdout), { command: "status", exit_code: 21, exit_name: "blocked", findings: [warning] });
});

test("--quiet says nothing where the end is ok or locked", async () => {
  assert.deepEqual(await report(base, "--quiet"), { stdout: "", stderr: "" });
  assert.deepEqual(await report({ ...base, exitName: "locked", findings: [error] }, "--quiet"), {
    stdout: "",
    stderr: "",
  });
});

test("--quiet shows errors, or the story of a bad end that has none", async () => {
  const blocked = { ...base, exitName: "blocked" as const };
  assert.deepEqual(await report({ ...blocked, findings: [warning, error] }, "--quiet"), {
    stdout: "",
    stderr: "error: bad [TP_E]\n",
  });
  assert.deepEqual(await report(blocked, "--quiet"), { stdout: "", stderr: "story\n" });
});

async function report(result: CommandResult, ...argv: string[]) {
  const out = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr") => ({
    write(text: string) {
      out[name] += text;
    },
  });
  const io = {
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    env: {},
    cwd: "/",
    now: () => new Date(0),
    sleep: async () => {},
  };
  await reportResult(result, readWords(["status", ...argv], null), io);
  return out;
}

const big = "x".repeat(64 * 1024);

/** A reader that takes one write and then nothing until the test says so. */
class SlowReader extends EventEmitter {
  readonly taken: string[] = [];
  write(text: string): boolean {
    this.taken.push(text);
    return false;
  }
}

function* countedPieces(count: number, made: { pieces: number; ended: boolean }) {
  try {
    for (let index = 0; index < count; index += 1) {
      made.pieces += 1;
      yield big;
    }
  } finally {
    made.ended = true;
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("no more pieces are made than the reader takes, and all of them come", async () => {
  const reader = new SlowReader();
  const made = { pieces: 0, ended: false };
  const end = writePieces(reader, countedPieces(3, made));
  for (const pieces of [1, 2, 3]) {
    await turn();
    assert.equal(made.pieces, pieces);
    reader.emit("drain");
  }
  await end;
  assert.equal(reader.taken.join("").length, 3 * big.length);
  assert.deepEqual(reader.eventNames(), []);
});

for (const event of ["error", "close"]) {
  test(`a reader that has gone (${event}) ends the making of pieces`, async () => {
    const reader = new SlowReader();
    const made = { pieces: 0, ended: false };
    const end = writePieces(reader, countedPieces(1_000, made));
    await turn();
    reader.emit(event, Object.assign(new Error("gone"), { code: "EPIPE" }));
    await end;
    assert.deepEqual([made, reader.taken.length, reader.eventNames()], [{ pieces: 1, ended: true }, 1, []]);
  });
}

test("small pieces are written together", async () => {
  const reader = new SlowReader();
  await writePieces(reader, ["a", "b", "", "c"]);
  assert.deepEqual(reader.taken, ["abc"]);
  await writePieces(reader, []);
  assert.deepEqual(reader.taken, ["abc"]);
});
