import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { stateFields } from "../../lib/machine/state-view.ts";
import {
  type BriefData,
  renderBrief,
  renderConfigFile,
  renderEvidenceFile,
  renderState,
  renderSteps,
} from "../../lib/templates/task-files.ts";
import { hostileTexts } from "./hostile.ts";

const nothing: BriefData = {
  id: "T-1",
  title: "A title",
  priority: null,
  dependsOn: [],
  repo: null,
  userFacing: false,
  validators: [],
  offered: [],
};
const now = "2026-11-21T10:00:00.000Z";

function frontMatter(text: string): unknown {
  const match = /^---\n([\s\S]*?)\n---\n/.exec(text);
  return parse(match?.[1] ?? "", { schema: "core", version: "1.2" });
}

test("a brief has live keys only for what was given", () => {
  assert.deepEqual(frontMatter(renderBrief(nothing)), { id: "T-1", title: "A title" });
  const validators = [{ name: "tests", command: ["npm", "test", "--", "a b"] }];
  const given = {
    ...nothing,
    priority: 5,
    dependsOn: ["T-0", "null"],
    repo: "../my app",
    userFacing: true,
    validators,
  };
  assert.deepEqual(frontMatter(renderBrief(given)), {
    id: "T-1",
    title: "A title",
    priority: 5,
    depends_on: ["T-0", "null"],
    repo: "../my app",
    user_facing: true,
    validators,
  });
});

test("a brief shows each default that it leaves out as a comment, and no key that this version lacks", () => {
  const comments = [...renderBrief(nothing).matchAll(/^# (\w+):/gm)].map((match) => match[1]);
  const expected = [
    "priority",
    "depends_on",
    "repo",
    "user_facing",
    "validators",
    "scenarios",
    "protected",
    "watched",
    "tests_changed",
    "tests_may_change",
    "budget",
    "retries_per_failure",
    "completion_promise",
  ];
  assert.deepEqual(comments, expected);
});

test("a comment of a brief becomes a key with its default when the mark is taken away", () => {
  const live = renderBrief(nothing).replace(
    /^# (?=(?:priority|depends_on|user_facing|validators|scenarios|protected|watched|tests_changed|tests_may_change|budget|retries_per_failure|completion_promise):)/gm,
    "",
  );
  assert.deepEqual(frontMatter(live), {
    id: "T-1",
    title: "A title",
    priority: 0,
    depends_on: [],
    user_facing: false,
    validators: [],
    scenarios: [],
    protected: [],
    watched: [],
    tests_changed: "block",
    tests_may_change: [],
    budget: { passes: 20, repairs: 5 },
    retries_per_failure: 2,
    completion_promise: "COMPLETE",
  });
});

test("any title, path or word of a command is read back from the brief as it was given", () => {
  for (const hostile of hostileTexts) {
    const validators = [{ name: hostile, command: [hostile, "x"] }];
    const text = renderBrief({ ...nothing, title: hostile, repo: hostile, dependsOn: [hostile], validators });
    assert.ok(text.startsWith("---\n"));
    const expected = { id: "T-1", title: hostile, depends_on: [hostile], repo: hostile, validators };
    assert.deepEqual(frontMatter(text), expected);
  }
});

test("a new STATE.md has the seventeen fields in order as plain lines near the top", () => {
  const lines = renderState({ id: "T-1", title: "A title", userFacing: false, now }).split("\n");
  const values: Record<string, string> = {
    Phase: " intake",
    Status: " new",
    Blockers: " none",
    "Evidence location": " artifacts/",
    "Candidate done": " no",
    "Validator status": " pending",
    "Repair applied": " no",
    "Revalidation status": " pending",
    "Last updated": ` ${now}`,
  };
  assert.deepEqual(lines.slice(0, 20), [
    "# T-1: A title",
    "",
    ...stateFields.map(({ label }) => `- ${label}:${values[label] ?? ""}`),
    "",
  ]);
});

test("below the fields stand the sections, the checklist only where the task is user-facing", () => {
  const sections = (userFacing: boolean) => renderState({ id: "T-1", title: "x", userFacing, now }).match(/^## .*/gm);
  assert.deepEqual(sections(false), ["## Phases", "## Findings", "## Notes"]);
  assert.deepEqual(sections(true), ["## Phases", "## Visible features", "## Findings", "## Notes"]);
  const text = renderState({ id: "T-1", title: "x", userFacing: true, now });
  assert.match(text, /```mermaid\nstateDiagram-v2\n[\s\S]*intake \(now\)[\s\S]*\n```\n/);
  assert.match(text, /\| Feature \| Label \| Proof \|\n\| --- \| --- \| --- \|\n\n/);
});

test("no title adds a line to STATE.md, EVIDENCE.md or TASKS.md", () => {
  const count = (text: string) => text.split("\n").length;
  for (const hostile of hostileTexts) {
    const names = { id: hostile, title: hostile, userFacing: true, now };
    const plain = { ...names, id: "T-1", title: "x" };
    assert.equal(count(renderState(names)), count(renderState(plain)));
    assert.equal(count(renderEvidenceFile(names)), count(renderEvidenceFile(plain)));
    assert.equal(count(renderSteps(names)), count(renderSteps(plain)));
    assert.equal(renderEvidenceFile(names).match(/^<!-- task-phase:/gm)?.length, 6);
  }
});

test("a new EVIDENCE.md has the runner's parts, and the agent's table outside of them", () => {
  const text = renderEvidenceFile({ id: "T-1", title: "x" });
  const parts = [...text.matchAll(/<!-- task-phase:(begin|end) (\w+) -->/g)].map((match) => `${match[1]} ${match[2]}`);
  assert.deepEqual(parts, ["begin status", "end status", "begin checks", "end checks", "begin record", "end record"]);
  const own = text.replace(/<!-- task-phase:begin (\w+) -->[\s\S]*?<!-- task-phase:end \1 -->/g, "");
  assert.match(own, /## Proof\n[\s\S]*\| What it shows \| Proof \| How it was made \|/);
});

test("a new task-phase.yaml names the models that it was given, in their order", () => {
  assert.deepEqual(parse(renderConfigFile([])), { models: [] });
  const models = [
    { name: "pi", env: [], example: "ANTHROPIC_API_KEY" },
    { name: "claude", env: ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"], example: "ANTHROPIC_API_KEY" },
  ];
  const text = renderConfigFile(models);
  assert.deepEqual(parse(text), {
    models: [
      { name: "pi", adapter: "pi" },
      { name: "claude", adapter: "claude", env: ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"] },
    ],
  });
  assert.match(text, /adapter: pi\n {4}# env: \[\] .*, such as ANTHROPIC_API_KEY\n/);
  assert.match(renderConfigFile([]), /task-phase doctor/);
});

test("the comments of a new task-phase.yaml become keys with their defaults when the mark is taken away", () => {
  const live = renderConfigFile([])
    .replace("models: []", "models:")
    .replace(/^# (?= {2}- name| {4}\w+:| {2}\w+:|\w+:(?: |$))/gm, "");
  assert.deepEqual(parse(live), {
    models: [
      {
        name: "agent",
        adapter: "claude",
        args: [],
        timeout: "30m",
        env: [],
        tiers: { cheap: null },
        estimate_usd: null,
        price: null,
        rate_limit_patterns: [],
        cooldown: "15m",
      },
      { name: "mine", adapter: "command", command: ["./agents/mine.sh"], prompt: "stdin" },
      { name: "rehearsal", adapter: "replay", recordings: "recordings/" },
    ],
    model_selection: "round_robin",
    evidence: { base_url: null, host_kind: null, web_base: null },
    sandbox: "none",
    defaults: {
      budget: { passes: 20, repairs: 5, money_usd: null },
      retries_per_failure: 2,
      completion_promise: "COMPLETE",
    },
  });
});

test("no line of a new task-phase.yaml is wider than 120 columns", () => {
  const models = [{ name: "opencode", env: ["OPENCODE_API_KEY", "ANTHROPIC_API_KEY"], example: "X" }];
  const lines = [renderConfigFile(models), renderConfigFile([])].join("").split("\n");
  assert.deepEqual(
    lines.filter((line) => line.length > 120),
    [],
  );
});
