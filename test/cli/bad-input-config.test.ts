import { mkdirSync } from "node:fs";
import { openTexts } from "../texts.ts";
import { type BadInput, everywhere, only, testTable } from "./bad-input-table.ts";
import type { BadWorld } from "./bad-input-world.ts";

const expectText = openTexts("cli/bad-input-config");

/** Lines of YAML that cannot be read: what is put behind good lines, where it is found, and what is said. */
interface Wrong {
  readonly yaml: string;
  readonly found: string;
}

const wrongYaml: Readonly<Record<string, Wrong>> = {
  "a tab that indents": { yaml: "budget:\n\tpasses: 3", found: "TP_YAML_SYNTAX:+1:1" },
  "a quote that is never closed": {
    yaml: 'x: "abc',
    found: "TP_YAML_SYNTAX:+1:1",
  },
  "a key that stands twice": {
    yaml: "budget: {}\nbudget: {}",
    found: "TP_YAML_SYNTAX:+1:1",
  },
  "an alias bomb": {
    yaml: "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]",
    found: "TP_YAML_ALIAS:+0:7",
  },
  "a merge key": {
    yaml: "a: &a { passes: 3 }\nbudget: { <<: *a }",
    found: "TP_YAML_ALIAS:+0:7",
  },
};

const readme = "repo/tasks/T-1/README.md";
const config = "repo/tasks/task-phase.yaml";
const some = ["status", "check", "dry", "run", "resume"] as const;
const putBrief = (yaml: string) => (world: BadWorld) =>
  world.put("README.md", `---\nid: T-1\ntitle: One\n${yaml}\n---\n\n# One\n`);
const putConfig = (yaml: string) => (world: BadWorld) => world.put("/repo/tasks/task-phase.yaml", `${yaml}\n`);
const shown = (exit: number, found: string, file: string, first: number) =>
  `${exit} ${found.replace(/^([A-Z_]+)(?::\+(\d)(:.*))?$/, (_, code: string, line?: string, rest?: string) => `${code} ${file}${line === undefined ? "" : `:${first + Number(line)}${rest}`}`)}`;

const yaml = Object.entries(wrongYaml).flatMap(([name, { yaml, found }]): BadInput[] => [
  {
    name: `README.md: ${name}`,
    spoil: putBrief(yaml),
    expect: everywhere(shown(65, found, readme, 4), { init: "0" }),
  },
  {
    name: `task-phase.yaml: ${name}`,
    spoil: putConfig(yaml),
    expect: only(some, shown(78, found, config, 1)),
  },
]);

const brief = (name: string, text: string | Buffer, expect: string): BadInput => ({
  name: `README.md: ${name}`,
  spoil: (world) => world.put("README.md", text),
  expect: only(some, expect),
});
const file = (name: string, text: string | Buffer, expect: string): BadInput => ({
  name: `task-phase.yaml: ${name}`,
  spoil: (world) => world.put("/repo/tasks/task-phase.yaml", text),
  expect: everywhere(expect, { init: null, evidence: null }),
});

const binary = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 0xff]);

testTable(expectText, "YAML that cannot be read", [
  ...yaml,
  brief("a directive", "---\n%YAML 1.1\nid: T-1\n---\n", `65 TP_YAML_DIRECTIVE ${readme}:2:1`),
  brief("---js front matter", "---js\nprocess.exit(3)\n---\n", `65 TP_BRIEF_NO_CONTRACT ${readme}:1:1`),
  brief("front matter that never ends", "---\nid: T-1\ntitle: One\n", `65 TP_BRIEF_NO_CONTRACT ${readme}:1:1`),
  brief("a second document", "---\nid: T-1\n...\nid: T-2\n---\n", `65 TP_YAML_SYNTAX ${readme}:4:1`),
  brief("binary", binary, `65 TP_TEXT_ENCODING ${readme}:1:7`),
  brief("a list", "---\n- id\n---\n", `78 TP_CONFIG_VALUE ${readme}:2:1`),
  brief("nothing in it", "---\n---\n", `78 TP_CONFIG_MISSING_KEY ${readme}:2:1`),
  file("a directive", "%YAML 1.1\n---\nmodels: []\n", `78 TP_YAML_DIRECTIVE ${config}:1:1`),
  file("a second document", "models: []\n---\nmodels: []\n", `78 TP_YAML_SYNTAX ${config}:2:1`),
  file("binary", binary, `78 TP_TEXT_ENCODING ${config}:1:7`),
  file("a list", "- a\n", `78 TP_CONFIG_VALUE ${config}:1:1`),
  file("too big", `#${"x".repeat(70_000)}\n`, `78 TP_CONFIG_FILE ${config}`),
  {
    name: "task-phase.yaml: a folder",
    spoil: (world) => void mkdirSync(world.clear("/repo/tasks/task-phase.yaml")),
    expect: everywhere(`78 TP_CONFIG_FILE ${config}`, { init: null }),
  },
  {
    name: "--config names nothing",
    more: ["--config", "no.yaml"],
    expect: everywhere("78 TP_CONFIG_FILE no.yaml"),
  },
  {
    name: "TASK_PHASE_CONFIG names nothing",
    env: (world) => ({ TASK_PHASE_CONFIG: world.path("no.yaml") }),
    expect: everywhere("78 TP_CONFIG_FILE no.yaml"),
  },
]);

const key = (name: string, yaml: string, found: string): BadInput => ({
  name: `README.md: ${name}`,
  spoil: putBrief(yaml),
  expect: only(["status", "check", "run"], shown(78, found, readme, 4)),
});
const setting = (name: string, yaml: string, found: string): BadInput => ({
  name: `task-phase.yaml: ${name}`,
  spoil: putConfig(yaml),
  expect: only(["status", "check", "run"], shown(78, found, config, 1)),
});
const model = (more: string) => `models:\n  - { name: mine, ${more} }`;

testTable(expectText, "a contract or a configuration that is wrong", [
  {
    ...key("an unknown key", "validater: []", "TP_CONFIG_UNKNOWN_KEY:+0:1"),
    expect: everywhere(`78 TP_CONFIG_UNKNOWN_KEY ${readme}:4:1`, { init: "0" }),
  },
  key("an unknown key in a list", "validators:\n  - { name: a, comand: [x] }", "TP_CONFIG_MISSING_KEY:+1:5"),
  key("a command that is one text", "validators: [{ name: a, command: npm test }]", "TP_CONFIG_VALUE:+0:34"),
  key("a number that is a word", "priority: high", "TP_CONFIG_VALUE:+0:11"),
  key("a list that is a word", "depends_on: T-2", "TP_CONFIG_VALUE:+0:13"),
  key("a timeout of nothing", "validators: [{ name: a, command: [x], timeout: 0 }]", "TP_CONFIG_VALUE:+0:48"),
  key("a glob that leaves the repo", 'protected: ["../x"]', "TP_CONFIG_VALUE:+0:13"),
  key("itself among what it needs", "depends_on: [T-1]", "TP_CONFIG_VALUE:+0:14"),
  key(
    "two checks with one name",
    "validators: [{ name: a b, command: [x] }]\nscenarios: [{ name: A-b, command: [x] }]",
    "TP_CONFIG_VALUE:+1:21",
  ),
  key("a way to treat changed tests that there is not", "tests_changed: ask", "TP_CONFIG_VALUE:+0:16"),
  key("a watched path that leaves the repo", 'watched: ["../x"]', "TP_CONFIG_VALUE:+0:11"),
  key("a budget of no tokens", "budget: { tokens: 0 }", "TP_CONFIG_VALUE:+0:19"),
  key("a budget of time in words", "budget: { time: soon }", "TP_CONFIG_VALUE:+0:17"),
  key("a share above all of it", "degrade: { when_over_pct: 80 }", "TP_CONFIG_VALUE:+0:27"),
  key("a budget of no money", "budget: { money_usd: 0 }", "TP_CONFIG_VALUE:+0:22"),
  key("a reviewer that is not known", "review: { reviewers: [test] }", "TP_CONFIG_VALUE:+0:23"),
  key("a reviewer twice", "review: { reviewers: [tests, tests] }", "TP_CONFIG_VALUE:+0:22"),
  setting("an unknown key", "model: []", "TP_CONFIG_UNKNOWN_KEY:+0:1"),
  setting(
    "an unknown key of a model",
    model("adapter: command, command: [x], promt: stdin"),
    "TP_CONFIG_UNKNOWN_KEY:+1:51",
  ),
  setting("an unknown adapter", model("adapter: comand"), "TP_CONFIG_VALUE:+1:28"),
  setting("no command", model("adapter: command"), "TP_CONFIG_VALUE:+1:19"),
  setting("models that are no list", "models: mine", "TP_CONFIG_VALUE:+0:9"),
  setting(
    "two models with one name",
    "models:\n  - { name: a, adapter: command, command: [x] }\n  - { name: a, adapter: command, command: [x] }",
    "TP_CONFIG_VALUE:+2:7",
  ),
  setting("a wrong default", "defaults: { prioritty: 3 }", "TP_CONFIG_UNKNOWN_KEY:+0:13"),
  setting(
    "a command of an agent that has an adapter",
    model("adapter: claude, command: [claude]"),
    "TP_CONFIG_VALUE:+1:36",
  ),
  setting(
    "a flag that the runner needs for itself",
    model("adapter: claude, args: [--output-format, text]"),
    "TP_CONFIG_VALUE:+1:43",
  ),
  setting("half a price", model("adapter: codex, price: { input_per_mtok: 3 }"), "TP_CONFIG_MISSING_KEY:+1:42"),
  setting(
    "a tier that is not known",
    model("adapter: pi, tiers: { chep: { args: [] } }"),
    "TP_CONFIG_UNKNOWN_KEY:+1:41",
  ),
  setting(
    "a pattern that cannot be read",
    model('adapter: pi, rate_limit_patterns: ["(later"]'),
    "TP_CONFIG_VALUE:+1:54",
  ),
  setting(
    "a pattern that matches anything",
    model('adapter: pi, rate_limit_patterns: [".*"]'),
    "TP_CONFIG_VALUE:+1:54",
  ),
  setting("an estimate below nothing", model("adapter: pi, estimate_usd: -1"), "TP_CONFIG_VALUE:+1:46"),
  setting("a cooldown that is a word", model("adapter: pi, cooldown: soon"), "TP_CONFIG_VALUE:+1:42"),
  setting("a sandbox that is not known", "sandbox: docker", "TP_CONFIG_VALUE:+0:10"),
  setting("a checkpoint that is not known", "checkpoint: comit", "TP_CONFIG_VALUE:+0:13"),
  setting("a budget of an hour", "budget: { hour: { money_usd: 3 } }", "TP_CONFIG_UNKNOWN_KEY:+0:11"),
  setting("a look every blink", "control: { poll: 0.1 }", "TP_CONFIG_VALUE:+0:18"),
  setting(
    "a base URL with a password",
    "evidence: { base_url: https://me:secret-word@example.invalid }",
    "TP_CONFIG_VALUE:+0:23",
  ),
]);
