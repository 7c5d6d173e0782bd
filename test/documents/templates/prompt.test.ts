import assert from "node:assert/strict";
import { test } from "node:test";
import { type PromptData, renderPrompt } from "../../../lib/documents/templates/prompt.ts";
import { showHidden } from "../../../lib/documents/templates/visible.ts";
import { phaseNames, phases, workingPhases } from "../../../lib/rules/phases.ts";
import { hostileTexts } from "./hostile.ts";

const tag = "<promise>COMPLETE</promise>";

function promptData(changes: Partial<PromptData> = {}): PromptData {
  return {
    task: { id: "T-1", title: "Stream the export", dir: "/w/tasks/T-1" },
    repo: "/w",
    pass: 4,
    phase: phases.implement,
    failed: null,
    retry: null,
    leftover: null,
    diff: null,
    brief: "Make it stream.",
    contractLines: ["Priority 5."],
    validators: [{ name: "tests", commandLine: "npm test | tee out", required: true }],
    scenarios: [{ name: "big", commandLine: "node big.js", required: false }],
    protectedGlobs: ["test/acceptance/**"],
    tickets: [],
    logTail: "",
    lastError: "",
    stateText: "- Phase: implement",
    promise: "COMPLETE",
    userFacing: false,
    advances: false,
    budget: { passesUsed: 3, passes: 12, repairsUsed: 1, repairs: 5 },
    openSteps: [],
    context: "whole",
    selfReview: true,
    ...changes,
  };
}

const rejected = (reason: string) => ({ verdict: "rejected", reason, answer: null }) as const;

/** Each line, and whether it stands outside of all fences. */
function readLines(prompt: string): { line: string; open: boolean }[] {
  let fence = "";
  return prompt.split("\n").map((line) => {
    const mark = /^(`{3,})[a-z]*$/.exec(line)?.[1] ?? "";
    const open = fence === "" && mark === "";
    if (fence === "") fence = mark;
    else if (line === mark && mark.length >= fence.length) fence = "";
    return { line, open };
  });
}

function headings(prompt: string): string[] {
  return readLines(prompt).flatMap(({ line, open }) => (open && /^#+ /.test(line) ? [line] : []));
}

/** The lines of the section with this heading, without empty ones. */
function section(prompt: string, heading: string): string[] {
  const lines = readLines(prompt);
  const start = lines.findIndex(({ line, open }) => open && /^#+ /.test(line) && line.includes(heading));
  assert.ok(start >= 0, `no section ${heading}`);
  const end = lines.findIndex(({ line, open }, index) => index > start && open && /^##? /.test(line));
  return lines.slice(start + 1, end < 0 ? undefined : end).flatMap(({ line }) => (line === "" ? [] : [line]));
}

test("the allowed next phases are those of the table, and no others", () => {
  for (const phase of workingPhases) {
    const items = section(renderPrompt(promptData({ phase: phases[phase] })), "Allowed next phases").filter((line) =>
      line.startsWith("- "),
    );
    assert.deepEqual(
      items,
      phases[phase].next.map((next) => `- \`${next}\``),
    );
  }
});

test("outside its fences a prompt proposes no phase that the table does not allow", () => {
  for (const phase of workingPhases) {
    const prompt = renderPrompt(promptData({ phase: phases[phase], stateText: "" }));
    const named = phaseNames.filter((name) => prompt.includes(`\`${name}\``));
    assert.deepEqual(
      named.filter((name) => name !== phase && !phases[phase].next.includes(name)),
      [],
      phase,
    );
  }
});

test("the phase stands there with its meaning, and what it allows and forbids", () => {
  for (const phase of workingPhases) {
    const rule = phases[phase];
    const text = section(renderPrompt(promptData({ phase: rule })), `The phase \`${phase}\``);
    for (const line of [rule.meaning, ...[...rule.allowed, ...rule.forbidden].map((each) => `- ${each}`)])
      assert.ok(text.includes(line), line);
  }
});

test("the reason of the last rejection is the first thing", () => {
  const prompt = renderPrompt(promptData({ failed: rejected("Objective is empty"), retry: { attempt: 1, of: 2 } }));
  const first = prompt.split("\n").slice(0, 5);
  assert.deepEqual(first, [
    "## Deal with this first: the last pass was rejected",
    "",
    "```text",
    "Objective is empty",
    "```",
  ]);
  assert.ok(renderPrompt(promptData()).startsWith("# T-1: Stream the export\n"));
});

test("a retry says what is different, narrower each time, and the last is named as the last", () => {
  const retry = (attempt: number) => renderPrompt(promptData({ retry: { attempt, of: 2 } })).split("\n# ")[0] ?? "";
  for (const attempt of [1, 2]) {
    assert.match(retry(attempt), new RegExp(`Retry ${attempt} of 2`));
    assert.match(retry(attempt), /narrower scope, one variable changed/);
  }
  assert.match(retry(1), /first failing thing alone/);
  const tickets = ["a", "b"].map((id) => ({ id, source: "reviewer" as const, name: id, text: id }));
  assert.match(renderPrompt(promptData({ retry: { attempt: 1, of: 2 }, tickets })), /Deal with each ticket, one at a/);
  assert.doesNotMatch(retry(1), /last retry: if/);
  assert.match(retry(2), /Narrower than the last retry/);
  assert.match(retry(2), /last retry: if/);
});

test("a retry of a pass that judges asks for the cause, and for no change", () => {
  for (const phase of ["verify", "review"] as const) {
    for (const attempt of [1, 2, 3]) {
      const retry = { attempt, of: 3 };
      const text = renderPrompt(promptData({ phase: phases[phase], retry })).split("\n# ")[0] ?? "";
      assert.match(text, /Show its cause and write it under `## Findings`; change nothing else/);
      assert.doesNotMatch(text, /smallest change|change one line|change that one variable/, `${phase} ${attempt}`);
    }
  }
});

test("the line about progress names every kind of it, and how to write down a risk", () => {
  for (const phase of workingPhases) {
    const line = /^Progress is .*$/m.exec(renderPrompt(promptData({ phase: phases[phase] })))?.[0] ?? "";
    for (const kind of ["phase or content field", "`Risks`", "- [ ] risk", "new proof", "`Blockers`", "new question"])
      assert.ok(line.includes(kind), `${phase}: ${kind}`);
    assert.equal(line.includes("changed code"), phases[phase].changesCode);
  }
});

test("the exact updates name the fields of the phase", () => {
  const fields: Record<string, readonly string[]> = {
    intake: ["Objective", "Done gate", "Not doing", "Reality constraints", "Phase"],
    shape: ["Validation plan", "Next step", "Phase"],
    implement: ["Current result", "Evidence location", "Phase"],
    verify: ["Current result", "Phase"],
    review: ["Candidate done", "Blockers", "Phase"],
    repair: ["Current result", "Phase"],
  };
  for (const phase of workingPhases) {
    const text = section(renderPrompt(promptData({ phase: phases[phase] })), "Files to update").join("\n");
    for (const field of fields[phase] ?? []) assert.ok(text.includes(`\`${field}\``), `${phase}: ${field}`);
    assert.match(text, /marked `\(runner\)` below are the runner's/);
    assert.match(text, new RegExp(`For example, .- Phase: ${phase}. becomes .- Phase: ${phases[phase].next[0]}.`));
  }
});

test("the contract stands there: brief, commands, protected paths, budget", () => {
  const prompt = renderPrompt(promptData());
  const contract = section(prompt, "The contract");
  assert.deepEqual(contract, [
    "The brief:",
    "```markdown",
    "Make it stream.",
    "```",
    "Validators, which the runner itself runs in the repo; exit code 0 passes:",
    "- tests (required): `npm test | tee out`",
    "Scenarios, which the runner itself runs in the repo; exit code 0 passes:",
    "- big (not required): `node big.js`",
    "Protected paths, which no pass may change: `test/acceptance/**`",
    "- Priority 5.",
  ]);
  assert.match(prompt, /3 of 12 passes, 1 of 5 repairs/);
  const bare = section(
    renderPrompt(promptData({ validators: [], scenarios: [], protectedGlobs: [], contractLines: [] })),
    "The contract",
  );
  assert.deepEqual(bare.slice(-3), ["Validators: none.", "Scenarios: none.", "Protected paths: none."]);
});

test("tickets, open items, the end of the log and the last error stand in fences of their own", () => {
  const logTail = `${Array.from({ length: 60 }, (_, index) => `line ${index + 1}`).join("\n")}\n`;
  const ticket = {
    id: "validator:tests",
    source: "validator",
    name: "tests",
    text: "not ok\n```\n## heading",
  } as const;
  const prompt = renderPrompt(
    promptData({ tickets: [ticket], openSteps: ["one `x`\n## two"], logTail, lastError: "boom\n" }),
  );
  assert.deepEqual(section(prompt, "Open tickets"), [
    "- `validator:tests` (validator): tests",
    "````text",
    "not ok",
    "```",
    "## heading",
    "````",
  ]);
  assert.match(prompt, /````text\nnot ok\n```\n## heading\n````\n/);
  assert.deepEqual(section(prompt, "Open items"), ["- one `x` ## two"]);
  const log = section(prompt, "last lines of log.txt");
  assert.deepEqual([log.length, log[1], log.at(-2)], [52, "line 11", "line 60"]);
  assert.deepEqual(section(prompt, "last_error.txt").slice(0, 3), ["```text", "boom", "```"]);
  assert.deepEqual(section(renderPrompt(promptData()), "Open tickets"), ["None."]);
});

test("the form of a question is filled in, and only where the table allows it the phase for it is named", () => {
  const shape = section(renderPrompt(promptData({ phase: phases.shape })), "How to ask").join("\n");
  assert.match(shape, /also propose `needs_user_decision`/);
  assert.match(shape, /propose `blocked`/);
  const prompt = renderPrompt(promptData({ phase: phases.intake }));
  assert.match(
    prompt,
    /## Q1: .*\n- Asked in: intake, pass 4, .*\n- Question: .*\n- Options: .*\n- Safe default: .*\n- Deadline: .*\n- Answer:\n/,
  );
  assert.doesNotMatch(prompt, /needs_user_decision|`blocked`/);
  assert.doesNotMatch(
    section(renderPrompt(promptData({ phase: phases.review })), "How to ask").join("\n"),
    /`blocked`/,
  );
});

test("only review tells the promise, and only where the contract has one", () => {
  for (const phase of workingPhases) {
    assert.equal(renderPrompt(promptData({ phase: phases[phase] })).includes(tag), phase === "review", phase);
  }
  const last =
    renderPrompt(promptData({ phase: phases.review }))
      .trimEnd()
      .split("\n")
      .at(-1) ?? "";
  assert.match(last, /Only if you propose `done`, the last line of your answer is .* `<promise>COMPLETE<\/promise>`/);
  const none = renderPrompt(promptData({ phase: phases.review, promise: null }));
  assert.doesNotMatch(none, /promise/);
});

test("of our own it says at most 900 words in each phase, and 1,100 after all that can go wrong", () => {
  const wordsOf = (changes: Partial<PromptData>) =>
    readLines(renderPrompt(promptData(changes)))
      .filter(({ open }) => open)
      .flatMap(({ line }) => line.split(/\s+/))
      .filter((word) => /\w/.test(word)).length;
  for (const phase of workingPhases) {
    const usual = { phase: phases[phase], userFacing: true, diff: "artifacts/passes/0003/task.patch", lastError: "x" };
    const wrong = {
      failed: { verdict: "no_progress", reason: "x", answer: "x" },
      retry: { attempt: 2, of: 2 },
      leftover: { pass: 3, paths: ["a.js"] },
      reviewFindings: [{ role: "tests", severity: "blocking", text: "x" }],
    } as const;
    assert(wordsOf(usual) <= 900, `${phase}: ${wordsOf(usual)} words`);
    assert(wordsOf({ ...usual, ...wrong }) <= 1_100, `${phase}: ${wordsOf({ ...usual, ...wrong })} words`);
  }
});

test("each phase says what counts in it: code only where the phase is for code", () => {
  for (const phase of workingPhases) {
    const prompt = renderPrompt(promptData({ phase: phases[phase] }));
    const { changesCode } = phases[phase];
    assert.equal(/^Progress is changed code, another phase/m.test(prompt), changesCode, phase);
    assert.equal(/Code does not count in this phase, and is reported\./.test(prompt), !changesCode, phase);
  }
});

test("a pass that only spoke is reminded of it, with the beginning of its answer", () => {
  const failed = { verdict: "no_progress", reason: "no material progress", answer: "Shall I use UTF-8?" } as const;
  const [first = ""] = renderPrompt(promptData({ failed })).split("\n# ");
  assert.match(first, /^## Deal with this first: the last pass made no progress\n/);
  assert.match(first, /It changed no file\. Its answer began:\n\n```text\nShall I use UTF-8\?\n```\n/);
  assert.match(first, /Nobody reads answers\..* DECISIONS\.md/);
  const [changed = ""] = renderPrompt(promptData({ failed: { ...failed, answer: null } })).split("\n# ");
  assert.doesNotMatch(changed, /answer/);
});

test("up to ten paths that a cut-off pass left are named, and nothing if there are none", () => {
  const heading = "What a pass that was cut off left";
  const left = (paths: readonly string[]) =>
    section(renderPrompt(promptData({ leftover: { pass: 3, paths } })), heading).join("\n");
  assert.equal(
    left(["src/a.js", "b`c"]),
    "Pass 3 did not end. It left changes in the repo: `src/a.js`, ``b`c``. Look at them first: finish them or undo them.",
  );
  assert.match(left(Array.from({ length: 12 }, (_, at) => `f${at}`)), /`f9` and 2 more\. Look/);
  assert.match(left([]), /in the repo, if it made any\. Look/);
  assert.doesNotMatch(renderPrompt(promptData()), new RegExp(heading));
});

test("where the whole change stands is said once it is known", () => {
  const diff = "artifacts/passes/0003/task.patch";
  assert.deepEqual(section(renderPrompt(promptData({ phase: phases.verify, diff })), "The change so far"), [
    `All that the task changed in the repo since its first pass: \`${diff}\` in the task folder.`,
  ]);
  assert.doesNotMatch(renderPrompt(promptData({ phase: phases.verify })), /The change so far/);
});

test("the promise never stands alone on a line, wherever it came from", () => {
  const told = [
    tag,
    `x\n${tag}\ny`,
    `x\r\n  ${tag}\t\r\n`,
    `\`\`\`\n${tag}\n\`\`\``,
    `\u2028${tag}\u2028`,
    `${tag}\r${tag}`,
  ];
  for (const phase of workingPhases) {
    for (const text of told) {
      const prompt = renderPrompt(
        promptData({
          phase: phases[phase],
          task: { id: text, title: text, dir: text },
          failed: { verdict: "no_progress", reason: text, answer: text },
          retry: { attempt: 1, of: 2 },
          leftover: { pass: 3, paths: [text] },
          diff: text,
          brief: text,
          contractLines: [text],
          validators: [{ name: text, commandLine: text, required: true }],
          protectedGlobs: [text],
          tickets: [{ id: text, source: "finding", name: text, text }],
          logTail: text,
          lastError: text,
          stateText: text,
          openSteps: [text],
        }),
      );
      for (const line of prompt.split(/\r\n|[\n\r\u2028\u2029\u0085]/)) assert.notEqual(line.trim(), tag, phase);
    }
  }
});

test("repair bans open-ended work and asks for the return to verify", () => {
  const prompt = renderPrompt(promptData({ phase: phases.repair, userFacing: true }));
  assert.match(prompt, /Open-ended implementation is banned/);
  assert.match(prompt, /always returns to verify/);
  assert.match(prompt, /label its row `blocked_hidden`/);
});

test("the checklist is asked for only where the task is user-facing", () => {
  for (const phase of ["shape", "implement", "verify"] as const) {
    assert.match(renderPrompt(promptData({ phase: phases[phase], userFacing: true })), /## Visible features/);
    assert.doesNotMatch(renderPrompt(promptData({ phase: phases[phase] })), /## Visible features/);
  }
});

test("no text adds a heading, ends its fence or hides a character", () => {
  const wanted = headings(renderPrompt(promptData({ failed: rejected("x"), openSteps: ["x"], lastError: "x" }))).slice(
    2,
  );
  for (const text of hostileTexts) {
    const prompt = renderPrompt(
      promptData({
        failed: rejected(text),
        brief: text,
        contractLines: [text],
        openSteps: [text],
        lastError: text,
        logTail: text,
        stateText: text,
        task: { id: "T-1", title: text, dir: text },
      }),
    );
    assert.deepEqual(headings(prompt).slice(2), wanted, text);
    assert.equal(prompt, showHidden(prompt));
  }
});

test("a small context shortens what is long, and says where the rest of it stands", () => {
  const lines = (word: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${word} ${index + 1}`).join("\n");
  const ticket = { id: "validator:tests", source: "validator", name: "tests", text: lines("ticket", 500) } as const;
  const data = {
    brief: lines("brief", 1_000),
    tickets: [ticket],
    logTail: lines("log", 60),
    lastError: lines("error", 500),
  };
  const small = renderPrompt(promptData({ ...data, context: "small" }));
  const brief = section(small, "The contract");
  assert.match(brief[0] ?? "", /^The beginning of the brief\. .* the whole text is in README\.md of the task folder/);
  assert.deepEqual([brief[2], brief.indexOf("…") > 200, brief.indexOf("…") < 400], ["brief 1", true, true]);
  const tickets = section(small, "Open tickets");
  assert.match(tickets[0] ?? "", /the newest tickets\.md has them in full, under artifacts\/passes\//);
  assert.deepEqual(tickets.slice(1, 4), ["- `validator:tests` (validator): tests", "```text", "ticket 1"]);
  assert.deepEqual([tickets.at(-2), tickets.length < 70], ["…", true]);
  const log = section(small, "last lines of log.txt");
  assert.deepEqual([log.length, log[1], log.at(-2)], [12, "log 51", "log 60"]);
  const error = section(small, "last_error.txt");
  assert.deepEqual([error[1], error.at(-3), error.length < 150], ["error 1", "…", true]);
  assert.match(error.at(-1) ?? "", /the whole text is in last_error\.txt/);
  const whole = renderPrompt(promptData(data));
  assert.doesNotMatch(whole, /shortened/);
  for (const line of ["brief 1000", "ticket 500", "log 11", "error 500"])
    assert.ok(whole.split("\n").includes(line), line);
});

test("where nothing is long, a small context is the whole one", () => {
  for (const phase of workingPhases) {
    const data = { phase: phases[phase], lastError: "boom", logTail: "one line" };
    assert.equal(renderPrompt(promptData({ ...data, context: "small" })), renderPrompt(promptData(data)));
  }
});

test("a small context keeps every rule, and the names of all tickets", () => {
  const long = "word ".repeat(2_000);
  const ticket = (name: string) => ({ id: name, source: "finding", name, text: long }) as const;
  for (const phase of workingPhases) {
    const data = { phase: phases[phase], brief: long, lastError: long, tickets: ["one", "two"].map(ticket) };
    const [small, whole] = (["small", "whole"] as const).map((context) =>
      renderPrompt(promptData({ ...data, context })),
    );
    for (const heading of [
      `The phase \`${phase}\``,
      "Files to update",
      "Allowed next phases",
      "How to ask a question",
      "How to report a finding",
    ]) {
      assert.deepEqual(section(small ?? "", heading), section(whole ?? "", heading));
    }
    const contract = section(small ?? "", "The contract");
    assert.deepEqual(contract.slice(-6), section(whole ?? "", "The contract").slice(-6));
    assert.match(small ?? "", /- `one` \(finding\): one\n[\s\S]*- `two` \(finding\): two\n/);
    assert.ok((small ?? "").length < (whole ?? "").length - 20_000);
  }
});

test("work, verification, review and repair end with a look of their own at what they did, unless that is left out", () => {
  const heading = "Before you end, check once more";
  for (const phase of workingPhases) {
    const asked = promptData({ phase: phases[phase] });
    const seen = headings(renderPrompt(asked)).some((line) => line.includes(heading));
    assert.equal(seen, phase !== "intake" && phase !== "shape", phase);
    if (seen) assert.equal(section(renderPrompt(asked), heading).filter((line) => line.startsWith("- ")).length, 3);
    const without = headings(renderPrompt({ ...asked, selfReview: false }));
    assert.deepEqual(
      without,
      headings(renderPrompt(asked)).filter((line) => !line.includes(heading)),
    );
  }
});

test("equal data gives equal text, without a gap", () => {
  for (const phase of workingPhases) {
    const prompt = renderPrompt(promptData({ phase: phases[phase] }));
    assert.equal(prompt, renderPrompt(promptData({ phase: phases[phase] })));
    assert.doesNotMatch(prompt, /undefined|\[object|<%|\n\n\n/);
    assert.ok(prompt.endsWith(".\n"));
  }
});

test("a phase that no model works in has no prompt", () => {
  assert.throws(() => renderPrompt(promptData({ phase: phases.done })), /done/);
});
