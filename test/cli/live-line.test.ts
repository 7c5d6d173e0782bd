import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { CommandContext } from "../../lib/cli/command.ts";
import type { LiveText } from "../../lib/cli/io.ts";
import { liveLine, livePass } from "../../lib/cli/live-line.ts";
import { makeLoopWorld } from "./loop-world.ts";
import { noon } from "./models-world.ts";

function makeStream(columns?: number) {
  const written: string[] = [];
  return {
    written,
    stream: { write: (text: string) => written.push(text), ...(columns === undefined ? {} : { columns }) },
  };
}

const erase = "\r\u001b[2K";

test("a line is written over in place, and taken away for what is printed", () => {
  const { written, stream } = makeStream();
  const line = liveLine(stream);
  line.show("one");
  line.show("two");
  line.clear();
  line.again();
  line.show(null);
  assert.deepEqual(written, [`${erase}one`, `${erase}two`, erase, `${erase}two`, erase]);
});

test("nothing is written before a line is shown", () => {
  const { written, stream } = makeStream();
  const line = liveLine(stream);
  line.clear();
  line.again();
  line.show(null);
  assert.deepEqual(written, []);
});

test("a line never wraps, and never holds what the terminal would obey", () => {
  const { written, stream } = makeStream(10);
  const line = liveLine(stream);
  line.show("123456789012345");
  line.show("a\u001b[31m\nb");
  line.show("a\tb");
  line.show("日本語日本語");
  line.show("e\u0301".repeat(9));
  assert.deepEqual(written, [
    `${erase}12345678…`,
    `${erase}a\\x1b[31…`,
    `${erase}a b`,
    `${erase}日本語日…`,
    `${erase}${"e\u0301".repeat(9)}`,
  ]);
});

test("a terminal of one column gets one character", () => {
  const { written, stream } = makeStream(1);
  liveLine(stream).show("abc");
  assert.deepEqual(written, [`${erase}…`]);
});

test("a terminal of unknown width gets eighty columns", () => {
  const { written, stream } = makeStream(0);
  liveLine(stream).show("x".repeat(100));
  assert.deepEqual(written, [`${erase}${"x".repeat(78)}…`]);
});

describe("several lines", () => {
  const up = "\u001b[1A\u001b[2K";

  test("are written over in place, each cut to the width, and all taken away for what is printed", () => {
    const { written, stream } = makeStream(10);
    const line = liveLine(stream);
    line.show(["one", "two", "123456789012345"]);
    line.show(["four", "fi\nve"]);
    line.clear();
    line.again();
    line.show("six");
    line.show(null);
    assert.deepEqual(written, [
      `${erase}one\ntwo\n12345678…`,
      `${erase}${up}${up}four\nfi ve`,
      `${erase}${up}`,
      `${erase}four\nfi ve`,
      `${erase}${up}six`,
      erase,
    ]);
  });

  test("are never more than the terminal shows at once", () => {
    const { written, stream } = makeStream(20);
    liveLine({ ...stream, rows: 4 }).show(["1", "2", "3"]);
    liveLine({ ...stream, rows: 4 }).show(["1", "2", "3", "4"]);
    liveLine({ ...stream, rows: 1 }).show(["1", "2"]);
    assert.deepEqual(written, [`${erase}1\n2\n3`, `${erase}1\n2\nand 2 more`, `${erase}and 2 more`]);
  });
});

const begun = { task: "T-1", pass: 4, phase: "verify", model: "claude", spentUsd: 0.24 } as const;

/** A live line whose seconds pass as the test says. */
function makeLive(t: Pick<TestContext, "mock">, live = true) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const clock = { at: 0 };
  const shown: LiveText[] = [];
  const context = {
    live,
    env: { MY_TOKEN: "hunter2hunter2" },
    now: () => new Date(clock.at),
    show: (text: LiveText) => shown.push(text),
  } as unknown as CommandContext;
  const pass = livePass(context);
  return {
    ...pass,
    shown,
    passes(ms: number) {
      clock.at += ms;
      t.mock.timers.tick(ms);
    },
  };
}

describe("the live line", () => {
  test("says the stage, what runs, the time of the stage and the agent's last line", (t) => {
    const { ports, passes, shown } = makeLive(t);
    ports.live?.entered("PREP");
    ports.live?.planned(begun);
    ports.live?.entered("EXEC");
    ports.live?.running(["claude"]);
    passes(61_000);
    ports.live?.heard("Reading a.js\nhunter2hunter2 is the key\n");
    passes(1_000);
    assert.equal(shown[0], "T-1  verify  pass 4  0.24 USD so far  EXEC claude  0s");
    assert.match(
      String(shown.at(-1)),
      /^T-1 {2}verify {2}pass 4 {2}0\.24 USD so far {2}EXEC claude {2}1m2s {2}\[redacted.*\] is the key$/,
    );
  });

  test("names the checks that still run, and neither the model nor its words", (t) => {
    const { ports, passes, shown } = makeLive(t);
    ports.live?.planned({ ...begun, spentUsd: null });
    ports.live?.entered("EXEC");
    ports.live?.heard("I am done\n");
    ports.live?.entered("VALIDATE");
    ports.live?.running(["tests", "lint"]);
    passes(2_000);
    ports.live?.running(["lint"]);
    ports.live?.running([]);
    passes(1_000);
    assert.deepEqual(
      [shown[0], shown[2], shown[3], shown.at(-1)],
      [
        "T-1  verify  pass 4  VALIDATE tests, lint  0s",
        "T-1  verify  pass 4  VALIDATE tests, lint  2s",
        "T-1  verify  pass 4  VALIDATE lint  2s",
        "T-1  verify  pass 4  VALIDATE  3s",
      ],
    );
  });

  test("does not flicker for what takes less than a second, and is gone when it is stopped", (t) => {
    const { ports, passes, shown, stop } = makeLive(t);
    ports.live?.entered("PLAN");
    passes(999);
    assert.deepEqual(shown, []);
    stop();
    passes(5_000);
    assert.deepEqual(shown, [null]);
  });

  test("is one a pass while several run: each has its own words, and its line goes when it ends", (t) => {
    const { of, passes, shown, say } = makeLive(t);
    const [first, second] = [of("T-1-price"), of("T-2-tax")];
    first.ports.live?.entered("PLAN");
    first.ports.live?.planned(begun);
    second.ports.live?.entered("PREP");
    passes(1_000);
    first.ports.live?.entered("EXEC");
    first.ports.live?.heard("Reading a.js\n");
    second.ports.live?.running(["tests"]);
    first.over();
    first.over();
    second.over();
    passes(5_000);
    say("waiting");
    assert.deepEqual(shown, [
      ["T-1  verify  pass 4  0.24 USD so far  PLAN  1s", "T-2-tax  PREP  1s"],
      ["T-1  verify  pass 4  0.24 USD so far  EXEC  0s  Reading a.js", "T-2-tax  PREP tests  1s"],
      "T-2-tax  PREP tests  1s",
      null,
      "waiting",
    ]);
  });

  test("is not computed without a terminal", (t) => {
    const { ports, say, stop, shown } = makeLive(t, false);
    say("waiting");
    stop();
    assert.deepEqual([ports, shown], [{}, []]);
  });
});

describe("a call on a terminal", () => {
  /** What is on the screen in the end, line by line. */
  const screen = (text: string) =>
    text
      .replaceAll("\u001b[", "CSI")
      .split("\n")
      .map((line) => line.slice(line.lastIndexOf("\rCSI2K") + 1).replace(/^CSI2K/, ""));

  test("shows what runs, and leaves only lines that stay", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    const env = { NO_COLOR: "1" };
    const args = ["--task-dir", world.path("tasks/T-1")];
    const run = await world.call("task-phase-run", args, { columns: 60, env, now: noon });
    assert.ok(run.stderr.includes(`${erase}T-1  intake  pass 1  EXEC walker  `), run.stderr);
    assert.deepEqual(screen(run.stderr).slice(0, 2), [
      "pass 1: walker works in intake",
      "pass 1  intake → shape  accepted  Objective changed",
    ]);
    const loop = await world.call("task-phase-loop", args, { columns: 60, env, now: noon });
    assert.ok(loop.stderr.includes(`${erase}T-1  implement  pass 3  PREP tests  0s`), loop.stderr);
    assert.ok(loop.stderr.includes("VALIDATE tests in a clean copy  "), loop.stderr);
    assert.ok(loop.stderr.includes("T-1  verify  pass 4  VALIDATE tests  "), loop.stderr);
    assert.deepEqual(
      screen(loop.stderr).filter((line) => /PREP|EXEC|VALIDATE/.test(line)),
      [],
    );
  });

  test("shows nothing of it with --quiet, --json, TERM=dumb or another stream", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    const args = ["--task-dir", world.path("tasks/T-1"), "--max-passes", "1"];
    const ends = [
      await world.call("task-phase-loop", [...args, "--quiet"], { columns: 60 }),
      await world.call("task-phase-loop", [...args, "--json"], { columns: 60 }),
      await world.call("task-phase-loop", args, { columns: 60, env: { TERM: "dumb" } }),
      await world.call("task-phase-loop", args),
    ];
    for (const { stderr } of ends) assert.ok(!stderr.includes(erase), stderr);
  });
});
