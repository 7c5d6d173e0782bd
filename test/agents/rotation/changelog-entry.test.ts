import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type ChangelogFacts,
  changelogEntry,
  changelogHead,
  statusOf,
} from "../../../lib/agents/rotation/changelog-entry.ts";
import type { ModelEnd } from "../../../lib/rules/model-end.ts";

const exited: ModelEnd = { kind: "exited", exit_code: 0, signal: null, result_event: true };

function factsOf(
  changes: Partial<ChangelogFacts> = {},
  verdict: Partial<ChangelogFacts["verdict"]> = {},
): ChangelogFacts {
  return {
    task: "T-1",
    folder: "T-1-stream",
    model: "claude",
    run: null,
    verdict: {
      at: "2026-11-21T12:00:00.000Z",
      pass: 7,
      from: "verify",
      to: "repair",
      verdict: "redirected",
      reason: "tests fails",
      end: exited,
      checks: null,
      cost_usd: null,
      tokens: { input: null, output: null },
      ...verdict,
    },
    error: null,
    promptSha256: "ab12",
    repo: { branch: null, dirty: null },
    changedPaths: [],
    logs: [],
    cooldownUntil: null,
    ...changes,
  };
}

/** The value of one item, with what is nested below it. */
function itemOf(entry: string, label: string): string | undefined {
  return new RegExp(`^- ${label}: ((?:.|\\n(?!- ))*)`, "m").exec(entry)?.[1]?.trimEnd();
}

describe("an entry of a changelog", () => {
  test("says what is not known with a dash, and never as 0", () => {
    const entry = changelogEntry(factsOf({ promptSha256: null }, { reason: "" }));
    assert.equal(
      entry,
      [
        "",
        "## T-1, pass 7, 2026-11-21T12:00:00.000Z",
        "",
        "- Model: claude",
        "- Run: –",
        "- Status: success",
        "- Verdict: redirected",
        "- Reason: –",
        "- Phase: verify → repair",
        "- Prompt: –",
        "- Branch: –",
        "- Dirty: –",
        "- Changed files: 0",
        "- Validators: none ran",
        "- Logs: –",
        "- Cost: not known",
        "- Tokens: tokens not known",
        "",
      ].join("\n"),
    );
  });

  test("lists at most twenty changed files, and says how many there are", () => {
    const paths = Array.from({ length: 23 }, (_, index) => ({ path: `src/${index}.ts`, change: "changed" }));
    const item = itemOf(changelogEntry(factsOf({ changedPaths: paths })), "Changed files") ?? "";
    assert.match(item, /^23\n {2}- `src\/0\.ts` changed\n/);
    assert.match(item, /\n {2}- `src\/19\.ts` changed\n {2}- and 3 more$/);
  });

  test("lists what each check came to, and links the logs that are there", () => {
    const result = {
      name: "unit *tests*",
      kind: "validator",
      required: true,
      status: "not_started",
      exit_code: null,
      signal: null,
      duration_ms: 3,
      attribution: "broken_before",
      log: "artifacts/passes/0007/validators/unit tests.log",
      tail: "",
    } as const;
    const checks = {
      results: [result, { ...result, attribution: null }],
    } as unknown as ChangelogFacts["verdict"]["checks"];
    const entry = changelogEntry(factsOf({ logs: [result.log] }, { checks }));
    assert.equal(
      itemOf(entry, "Validators"),
      "2\n  - validator unit &#42;tests&#42;: not started (broken before)\n  - validator unit &#42;tests&#42;: not started",
    );
    assert.equal(
      itemOf(entry, "Logs"),
      "[artifacts/passes/0007/validators/unit tests.log](../../T-1-stream/artifacts/passes/0007/validators/unit%20tests.log)",
    );
  });

  test("keeps hostile text on its line, short and harmless", () => {
    const hostile = `one\n# two <b>x</b> [a](b) \u202e ${"y".repeat(900)}`;
    const repo = { branch: "a`b", dirty: false };
    const entry = changelogEntry(
      factsOf(
        { task: hostile, error: hostile, repo, changedPaths: [{ path: hostile, change: "added" }] },
        { reason: hostile },
      ),
    );
    assert.equal(entry.match(/^#/gm)?.length, 1);
    assert.doesNotMatch(entry.replace(/(`+).*?\1/g, ""), /<b>|\u202e|\[a\]/);
    assert((itemOf(entry, "Reason") ?? "").length < 600);
    assert.equal(itemOf(entry, "Dirty"), "no");
    assert.equal(itemOf(entry, "Branch"), "``a`b``");
    assert.match(changelogHead("<i>\n# x"), /^# Passes of &lt;i&gt; &#35; x\n\n/);
  });
});

test("the status is that of the call, whatever became of the work", () => {
  const status = (end: ModelEnd, error: string | null = null, verdict: "accepted" | "unavailable" = "accepted") =>
    statusOf({ end, verdict }, error);
  const limited: ModelEnd = { kind: "limited", cause: "quota", reason: "quota", until: null };
  assert.equal(status(exited), "success");
  assert.equal(status({ kind: "interrupted", reason: "x", cause: "signal" }), "interrupted");
  assert.equal(status({ ...exited, result_event: false }), "success");
  assert.equal(status(limited, "quota", "unavailable"), "rate_limited");
  assert.equal(status({ kind: "timed_out", timeout_ms: 1 }, "late", "unavailable"), "timeout");
  for (const end of [
    { kind: "not_started", reason: "x" },
    { kind: "auth_failed", reason: "x" },
    { ...exited, exit_code: 1 },
    { kind: "withheld", reason: "x" },
    { ...exited, signal: "SIGKILL", exit_code: null },
    { ...exited, exit_code: 1, result_event: false },
  ] as const) {
    assert.equal(status(end), "error", JSON.stringify(end));
  }
  assert.equal(status(exited, "Prompt is too long"), "error");
  assert.equal(status({ ...exited, result_event: false }, null, "unavailable"), "error");
});
