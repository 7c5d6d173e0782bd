import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { parse } from "yaml";
import { readBrief } from "../../../lib/documents/brief.ts";
import { configSchema } from "../../../lib/documents/config/config-schema.ts";
import { applyDefaults } from "../../../lib/documents/contract-defaults.ts";
import { contractSchema, partialContractSchema } from "../../../lib/documents/contract-schema.ts";
import {
  type BriefData,
  renderBrief,
  renderConfigFile,
  renderEvidenceFile,
  renderState,
  renderSteps,
} from "../../../lib/documents/templates/render-task-files.ts";
import { stateFields } from "../../../lib/rules/state-view.ts";
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
  const comments = [...renderBrief(nothing).matchAll(/^# (\w+):/gm)].map((match) => match[1] ?? "");
  assert.deepEqual(["id", "title", ...comments].sort(), keysOf(contractSchema).sort());
});

test("a brief shows the keys inside of each key too, and so does task-phase.yaml", () => {
  const brief = renderBrief(nothing);
  const config = renderConfigFile([]);
  const missing = (text: string, schema: unknown) =>
    nestedKeys(schema).filter((key) => !new RegExp(`\\b${key}:`).test(text));
  assert.deepEqual(missing(brief, contractSchema), []);
  // The keys inside of those of the contract are in the brief.
  const { defaults: _, ...own } = entriesOf(configSchema) ?? {};
  // Those of `fleet` that are for a queue are checked, and no command reads them yet.
  const unread = [
    "engine",
    "url_env",
    "schema",
    "lease",
    "heartbeat",
    "margin",
    "attempts",
    "clone",
    "cache",
    "filter",
    "accounts",
  ];
  const shown = missing(config, { entries: own }).filter((key) => !unread.includes(key));
  assert.deepEqual(shown, []);
  assert.ok(["min_tests", "when_over_pct", "prd"].every((key) => nestedKeys(contractSchema).includes(key)));
  for (const key of ["held_out", "manual"]) assert.match(brief, new RegExp(`^#.*\\b${key}: `, "m"));
});

test("the comments of a brief become keys with their defaults when the marks are taken away", () => {
  const read = (text: string) => readBrief(Buffer.from(text), "README.md");
  const live = renderBrief(nothing).replace(/^# (?=\w+:)/gm, "");
  const keys = Object.keys(frontMatter(live) as object);
  assert.deepEqual(keys.sort(), keysOf(contractSchema).sort());
  const [with_, without] = [read(live), read(renderBrief(nothing))];
  assert(with_.kind === "brief" && without.kind === "brief", JSON.stringify(with_));
  assert.deepEqual(with_.contract, without.contract);
  const examples = live.replace(/^(validators|scenarios): \[\] .*/gm, "$1:").replace(/^# {3}-/gm, "  -");
  const shown = read(examples);
  assert(shown.kind === "brief", JSON.stringify(shown));
  assert.deepEqual(
    [shown.contract.validators.length, shown.contract.heldOut.length, shown.contract.manual.length],
    [1, 1, 1],
  );
});

test("checks that are offered stand in comments, each with its reason", () => {
  const offered = [{ name: "lint", command: ["npm", "run", "lint"], why: "package.json has a lint script" }];
  const text = renderBrief({ ...nothing, offered, validators: [{ name: "tests", command: ["npm", "test"] }] });
  assert.match(text, /^# {3}- \{ name: lint, command: \[npm, run, lint\] \} {3}# package\.json has a lint script$/m);
  const live = frontMatter(text.replace(/^# {3}- (?=\{ name: lint)/m, "  - "));
  assert.equal((live as { validators: unknown[] }).validators.length, 2);
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

test("a new EVIDENCE.md has the runner's parts, and outside of them a comment that says where the agent's table goes", () => {
  const text = renderEvidenceFile({ id: "T-1", title: "x" });
  const parts = [...text.matchAll(/<!-- task-phase:(begin|end) (\w+) -->/g)].map((match) => `${match[1]} ${match[2]}`);
  assert.deepEqual(parts, ["begin status", "end status", "begin checks", "end checks", "begin record", "end record"]);
  const own = text.replace(/<!-- task-phase:begin (\w+) -->[\s\S]*?<!-- task-phase:end \1 -->/g, "");
  assert.match(own, /`## Proof`/);
  assert.equal(own.replace(/<!--[\s\S]*?-->/g, "").trim(), "# Evidence: T-1, x", "nothing empty is shown to people");
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
  const { models, defaults, ...others } = parse(live) as Record<string, Record<string, unknown>>;
  assert.deepEqual(models, [
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
  ]);
  const none = { passes: null, money_usd: null, tokens: null, time: null };
  assert.deepEqual(others, {
    model_selection: "round_robin",
    fleet: { base: null, ref: "task-phase/{id}", after: "merged", prepare: [], code: null },
    sandbox: "none",
    checkpoint: "patch",
    commits: "pass",
    keep: "all",
    sign: "none",
    workspace: "here",
    budget: { run: none, day: none },
    evidence: { base_url: null, host_kind: null, web_base: null, links: "auto" },
    control: { poll: "30s" },
    notify: { webhook: null, secret_env: null, ping: null },
  });
  assert.deepEqual(Object.keys({ models, defaults, ...others }).sort(), keysOf(configSchema).sort());
  assert.deepEqual(Object.keys(defaults ?? {}).sort(), keysOf(partialContractSchema).sort());
  const read = v.safeParse(partialContractSchema, defaults);
  assert.ok(read.success);
  const required = { id: "T-1", title: "x" };
  assert.deepEqual(applyDefaults(required, read.output), applyDefaults(required));
});

test("no line of a new task-phase.yaml or of a new contract is wider than 120 columns", () => {
  const models = [{ name: "opencode", env: ["OPENCODE_API_KEY", "ANTHROPIC_API_KEY"], example: "X" }];
  const check = { name: "tests", command: ["npm", "test"] };
  const briefs = [renderBrief(nothing), renderBrief({ ...nothing, validators: [check] })].map(
    (text) => text.split("\n---\n")[0],
  );
  const lines = [renderConfigFile(models), renderConfigFile([]), ...briefs].join("\n").split("\n");
  assert.deepEqual(
    lines.filter((line) => line.length > 120),
    [],
  );
});

/** The keys of a map that a schema describes, in their order. */
function keysOf(schema: unknown): string[] {
  return Object.keys(entriesOf(schema) ?? {});
}

/** The keys of a map and of all maps in it, as far as a schema can be looked into. */
function nestedKeys(schema: unknown): string[] {
  const entries = Object.entries(entriesOf(schema) ?? {});
  return [...new Set(entries.flatMap(([key, inner]) => [key, ...nestedKeys(inner)]))];
}

function entriesOf(schema: unknown): Record<string, unknown> | null {
  if (typeof schema !== "object" || schema === null) return null;
  const { entries, pipe, wrapped, item } = schema as Record<"entries" | "pipe" | "wrapped" | "item", unknown>;
  if (entries !== undefined) return entries as Record<string, unknown>;
  const inner = Array.isArray(pipe) ? pipe.slice(pipe[0] === schema ? 1 : 0) : [wrapped, item];
  for (const one of inner) {
    const found = entriesOf(one);
    if (found !== null) return found;
  }
  return null;
}
