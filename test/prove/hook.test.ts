import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { answerStop, type HookPorts, type HookProof } from "../../lib/prove/hook.ts";

/** As Claude Code 2.1 and Codex 0.160 document what they write. */
const claude = {
  session_id: "abc123",
  transcript_path: "/home/u/.claude/projects/-repo/abc123.jsonl",
  cwd: "/repo",
  permission_mode: "acceptEdits",
  hook_event_name: "Stop",
  stop_hook_active: false,
  last_assistant_message: "All tests pass now.",
  background_tasks: [],
};
const codex = {
  session_id: "0199a213-81c0-7800-8aa1-bbab2a035a53",
  turn_id: "1",
  transcript_path: null,
  cwd: "/repo",
  hook_event_name: "Stop",
  model: "gpt-5",
  permission_mode: "default",
  stop_hook_active: false,
  last_assistant_message: null,
};

const fine: HookProof = { exitName: "ok", headline: "The check passes", failing: [], watched: [], old_failing: [] };
const fails: HookProof = {
  exitName: "rejected",
  headline: "The check fails: tests: error: 2 !== 3",
  failing: [{ failed_before: false, log: "/cache/now/tests.log" }],
  watched: [],
  old_failing: [],
};
const weakened: HookProof = {
  exitName: "needs_user_decision",
  headline: "A person has to look at one change of tests or checks. Nothing broke",
  failing: [],
  watched: [
    { name: "test/round.test.js", detail: "", asks: true },
    { name: "package.json", detail: "scripts.test: true", asks: true },
    { name: "test/new.test.js", detail: "", asks: false },
  ],
  old_failing: [{ check: "tests", said: "error: 2 !== 3", log: "/cache/old_checks/tests.log" }],
};

function makePorts(t: TestContext, prove: HookPorts["prove"] | HookProof): HookPorts {
  const folder = mkdtempSync(path.join(tmpdir(), "task-phase-hook-"));
  t.after(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  });
  return {
    prove: typeof prove === "function" ? prove : async () => prove,
    counts: path.join(folder, "hooks"),
    limitMs: 60_000,
    now: () => new Date(),
  };
}

const answer = (text: string, ports: HookPorts) => answerStop(async () => Buffer.from(text), ports);
const say = (stop: object, ports: HookPorts) => answer(JSON.stringify(stop), ports);
const nothing = { stdout: null, stderr: null };

for (const [name, stop] of Object.entries({ claude, codex })) {
  test(`${name}: a change that fails its checks is sent back three times with the line that tells why, then let go`, async (t) => {
    const ports = makePorts(t, fails);
    for (const number of [1, 2, 3]) {
      const { stdout, stderr } = await say({ ...stop, stop_hook_active: number > 1 }, ports);
      assert.equal(stderr, null);
      assert.deepEqual(JSON.parse(stdout ?? ""), {
        decision: "block",
        reason: `task-phase prove: The check fails: tests: error: 2 !== 3; see /cache/now/tests.log. Repair it, or tell the person what stands in the way (sent back ${number} of 3 times)`,
      });
    }
    for (const _ of [4, 5]) {
      const { stdout, stderr } = await say({ ...stop, stop_hook_active: true }, ports);
      assert.equal(stderr, null);
      assert.deepEqual(JSON.parse(stdout ?? ""), {
        systemMessage:
          "task-phase prove: the session ended, and this stands: The check fails: tests: error: 2 !== 3; see /cache/now/tests.log",
      });
    }
    // Another session in the same repo has a count of its own.
    const other = await say({ ...stop, session_id: "other" }, ports);
    assert.match(other.stdout ?? "", /"block".*sent back 1 of 3/);
  });
}

test("weakened tests are sent back by name, and only those that ask", async (t) => {
  const { stdout } = await say(claude, makePorts(t, weakened));
  assert.deepEqual(JSON.parse(stdout ?? ""), {
    decision: "block",
    reason:
      "task-phase prove: tests or checks changed so that a person has to look: test/round.test.js, package.json (scripts.test: true); with what they were before the change, this fails: tests: error: 2 !== 3; see /cache/old_checks/tests.log. Repair it, or tell the person what stands in the way (sent back 1 of 3 times)",
  });
});

test("a change whose checks pass, or that shows nothing, ends without a word", async (t) => {
  const calls: string[] = [];
  const ports = makePorts(t, async (folder) => {
    calls.push(folder);
    return fine;
  });
  assert.deepEqual(await say(claude, ports), nothing);
  assert.deepEqual(calls, ["/repo"]);
  assert.deepEqual(await say(claude, { ...ports, prove: async () => null }), nothing, "after a signal");
});

test("a check that failed in the same way before the change never holds a session, and is remarked", async (t) => {
  const before = { ...fails, failing: [{ failed_before: true, log: "/log" }] };
  const { stdout } = await say(claude, makePorts(t, before));
  assert.deepEqual(JSON.parse(stdout ?? ""), {
    systemMessage: "task-phase prove: The check fails: tests: error: 2 !== 3; see /log",
  });
  const both = { ...fails, failing: [...before.failing, ...fails.failing] };
  assert.match((await say(claude, makePorts(t, both))).stdout ?? "", /"block"/);
  // Unsteady since the change: nothing is listed as failing.
  assert.match((await say(claude, makePorts(t, { ...fails, failing: [] }))).stdout ?? "", /"block"/);
});

test("a plan, a subagent and another event end without a run", async (t) => {
  const ports = makePorts(t, () => assert.fail("it was run"));
  for (const other of [{ permission_mode: "plan" }, { hook_event_name: "SubagentStop" }, { hook_event_name: "Other" }])
    assert.deepEqual(await say({ ...claude, ...other }, ports), nothing);
});

test("a proof that takes too long is ended by its signal, and the session let go with a remark", async (t) => {
  let ended = false;
  const ports = makePorts(t, (_folder, _since, signal) => {
    const busy = setInterval(() => undefined, 1_000);
    signal.addEventListener("abort", () => {
      clearInterval(busy);
      ended = true;
    });
    return new Promise(() => undefined);
  });
  const { stdout } = await say(claude, { ...ports, limitMs: 1 });
  assert.deepEqual(JSON.parse(stdout ?? ""), {
    systemMessage: "task-phase prove: not judged: the checks take longer than 1ms",
  });
  assert.equal(ended, true);
});

test("an error of ours lets the session go, and stderr names it", async (t) => {
  const broken = makePorts(t, async () => {
    throw new Error("no room");
  });
  const said = (why: RegExp) => (answer: { stdout: string | null; stderr: string | null }) => {
    assert.equal(answer.stdout, null);
    assert.match(answer.stderr ?? "", why);
    assert.match(answer.stderr ?? "", /; the session was let go$/);
  };
  said(/no room/)(await say(claude, broken));
  said(/expected the JSON of a Stop hook .*it is not JSON/)(await answer("done!", broken));
  said(/hook_event_name/)(await answer("{}", broken));
  said(/cwd/)(await answer('{"hook_event_name":"Stop"}', broken));
  const unread = answerStop(async () => Promise.reject(new Error("EIO")), broken);
  said(/EIO/)(await unread);
  said(/it is not JSON/)(await answerStop(async () => null, broken));
  // What cannot be counted is not sent back: it would be sent back for ever.
  const ports = makePorts(t, fails);
  writeFileSync(ports.counts, "a file where the folder should be");
  said(/private folder/)(await say(claude, ports));
});

test("without a session's id a session is sent back once, as the CLI itself says", async (t) => {
  const ports = makePorts(t, fails);
  const { session_id: _, ...anonymous } = claude;
  assert.match((await say(anonymous, ports)).stdout ?? "", /"block".*1 of 3/);
  assert.match((await say({ ...anonymous, stop_hook_active: true }, ports)).stdout ?? "", /systemMessage/);
});

test("counts are private files without the session's name, and are forgotten after a week", async (t) => {
  const ports = makePorts(t, fails);
  await say({ ...claude, session_id: "../../escape" }, ports);
  const [name = "", ...others] = readdirSync(ports.counts);
  assert.deepEqual([/^[0-9a-f]{64}$/.test(name), others], [true, []]);
  const file = path.join(ports.counts, name);
  assert.deepEqual([statSync(ports.counts).mode & 0o777, statSync(file).mode & 0o777], [0o700, 0o600]);
  const weekAgo = new Date(Date.now() - 8 * 24 * 3600 * 1000);
  utimesSync(file, weekAgo, weekAgo);
  await say(claude, ports);
  assert.deepEqual(readdirSync(ports.counts).length, 1);
  assert.ok(!readdirSync(ports.counts).includes(name));
  writeFileSync(path.join(ports.counts, readdirSync(ports.counts)[0] ?? ""), "many");
  assert.match((await say(claude, ports)).stdout ?? "", /systemMessage/);
});
