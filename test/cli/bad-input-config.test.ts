import { mkdirSync } from "node:fs";
import { type BadInput, everywhere, only, testTable } from "./bad-input-table.ts";
import type { BadWorld } from "./bad-input-world.ts";

/** Lines of YAML that cannot be read: what is put behind good lines, where it is found, and what is said. */
interface Wrong {
  readonly yaml: string;
  readonly found: string;
  readonly says: RegExp;
  readonly fix?: RegExp;
}

const wrongYaml: Readonly<Record<string, Wrong>> = {
  "a tab that indents": { yaml: "budget:\n\tpasses: 3", found: "TP_YAML_SYNTAX:+1:1", says: /[Tt]ab/, fix: /spaces/ },
  "a quote that is never closed": {
    yaml: 'x: "abc',
    found: "TP_YAML_SYNTAX:+1:1",
    says: /quote/,
    fix: /end the quoted text/,
  },
  "a key that stands twice": {
    yaml: "budget: {}\nbudget: {}",
    found: "TP_YAML_SYNTAX:+1:1",
    says: /`budget` appears twice/,
    fix: /keep one/,
  },
  "an alias bomb": {
    yaml: "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]",
    found: "TP_YAML_ALIAS:+0:7",
    says: /anchor &a is not allowed/,
    fix: /write the value out/,
  },
  "a merge key": {
    yaml: "a: &a { passes: 3 }\nbudget: { <<: *a }",
    found: "TP_YAML_ALIAS:+0:7",
    says: /anchor/,
    fix: /write the value out/,
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

const yaml = Object.entries(wrongYaml).flatMap(([name, { yaml, found, says, fix }]): BadInput[] => [
  {
    name: `README.md: ${name}`,
    spoil: putBrief(yaml),
    expect: everywhere(shown(65, found, readme, 4), { init: "0" }),
    says,
    ...(fix ? { fix } : {}),
  },
  {
    name: `task-phase.yaml: ${name}`,
    spoil: putConfig(yaml),
    expect: only(some, shown(78, found, config, 1)),
    says,
    ...(fix ? { fix } : {}),
  },
]);

const brief = (name: string, text: string | Buffer, expect: string, says: RegExp, fix: RegExp): BadInput => ({
  name: `README.md: ${name}`,
  spoil: (world) => world.put("README.md", text),
  expect: only(some, expect),
  says,
  fix,
});
const file = (name: string, text: string | Buffer, expect: string, says: RegExp, fix: RegExp): BadInput => ({
  name: `task-phase.yaml: ${name}`,
  spoil: (world) => world.put("/repo/tasks/task-phase.yaml", text),
  expect: everywhere(expect, { init: null, evidence: null }),
  says,
  fix,
});

const binary = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 0xff]);

testTable("YAML that cannot be read", [
  ...yaml,
  brief(
    "a directive",
    "---\n%YAML 1.1\nid: T-1\n---\n",
    `65 TP_YAML_DIRECTIVE ${readme}:2:1`,
    /directive/,
    /remove the line/,
  ),
  brief(
    "---js front matter",
    "---js\nprocess.exit(3)\n---\n",
    `65 TP_BRIEF_NO_CONTRACT ${readme}:1:1`,
    /line 1 must be `---`/,
    /front matter/,
  ),
  brief(
    "front matter that never ends",
    "---\nid: T-1\ntitle: One\n",
    `65 TP_BRIEF_NO_CONTRACT ${readme}:1:1`,
    /never closed/,
    /end the front matter/,
  ),
  brief(
    "a second document",
    "---\nid: T-1\n...\nid: T-2\n---\n",
    `65 TP_YAML_SYNTAX ${readme}:4:1`,
    /second YAML document/,
    /keep one/,
  ),
  brief("binary", binary, `65 TP_TEXT_ENCODING ${readme}:1:7`, /UTF-8/, /UTF-8/),
  brief("a list", "---\n- id\n---\n", `78 TP_CONFIG_VALUE ${readme}:2:1`, /must be a map/, /key: value/),
  brief("nothing in it", "---\n---\n", `78 TP_CONFIG_MISSING_KEY ${readme}:2:1`, /`id` is missing/, /add `id:`/),
  file(
    "a directive",
    "%YAML 1.1\n---\nmodels: []\n",
    `78 TP_YAML_DIRECTIVE ${config}:1:1`,
    /directive/,
    /remove the line/,
  ),
  file(
    "a second document",
    "models: []\n---\nmodels: []\n",
    `78 TP_YAML_SYNTAX ${config}:2:1`,
    /second YAML document/,
    /keep one/,
  ),
  file("binary", binary, `78 TP_TEXT_ENCODING ${config}:1:7`, /UTF-8/, /UTF-8/),
  file("a list", "- a\n", `78 TP_CONFIG_VALUE ${config}:1:1`, /the file must be a map/, /key: value/),
  file("too big", `#${"x".repeat(70_000)}\n`, `78 TP_CONFIG_FILE ${config}`, /too large/, /shorten it/),
  {
    name: "task-phase.yaml: a folder",
    spoil: (world) => void mkdirSync(world.clear("/repo/tasks/task-phase.yaml")),
    expect: everywhere(`78 TP_CONFIG_FILE ${config}`, { init: null }),
    says: /is a folder/,
    fix: /regular file/,
  },
  {
    name: "--config names nothing",
    more: ["--config", "no.yaml"],
    expect: everywhere("78 TP_CONFIG_FILE no.yaml"),
    says: /not (exist|there)/,
    fix: /correct the path|make the file/,
  },
  {
    name: "TASK_PHASE_CONFIG names nothing",
    env: (world) => ({ TASK_PHASE_CONFIG: world.path("no.yaml") }),
    expect: everywhere("78 TP_CONFIG_FILE no.yaml"),
    says: /not (exist|there)/,
    fix: /correct the path|make the file/,
  },
]);

const key = (name: string, yaml: string, found: string, says: RegExp, fix: RegExp): BadInput => ({
  name: `README.md: ${name}`,
  spoil: putBrief(yaml),
  expect: only(["status", "check", "run"], shown(78, found, readme, 4)),
  says,
  fix,
});
const setting = (name: string, yaml: string, found: string, says: RegExp, fix: RegExp): BadInput => ({
  name: `task-phase.yaml: ${name}`,
  spoil: putConfig(yaml),
  expect: only(["status", "check", "run"], shown(78, found, config, 1)),
  says,
  fix,
});
const model = (more: string) => `models:\n  - { name: mine, ${more} }`;

testTable("a contract or a configuration that is wrong", [
  {
    ...key(
      "an unknown key",
      "validater: []",
      "TP_CONFIG_UNKNOWN_KEY:+0:1",
      /`validater` is not a known key/,
      /did you mean `validators`/,
    ),
    expect: everywhere(`78 TP_CONFIG_UNKNOWN_KEY ${readme}:4:1`, { init: "0" }),
  },
  key(
    "an unknown key in a list",
    "validators:\n  - { name: a, comand: [x] }",
    "TP_CONFIG_MISSING_KEY:+1:5",
    /`validators\[1\].command` is missing/,
    /add `command:`/,
  ),
  key(
    "a command that is one text",
    "validators: [{ name: a, command: npm test }]",
    "TP_CONFIG_VALUE:+0:34",
    /must be a list of words, found the text "npm test"/,
    /\[npm, test\]/,
  ),
  key(
    "a number that is a word",
    "priority: high",
    "TP_CONFIG_VALUE:+0:11",
    /must be a number, found the text "high"/,
    /write a number/,
  ),
  key("a list that is a word", "depends_on: T-2", "TP_CONFIG_VALUE:+0:13", /must be a list of task ids/, /\[T-120\]/),
  key(
    "a timeout of nothing",
    "validators: [{ name: a, command: [x], timeout: 0 }]",
    "TP_CONFIG_VALUE:+0:48",
    /duration/,
    /s, m or h/,
  ),
  key(
    "a glob that leaves the repo",
    'protected: ["../x"]',
    "TP_CONFIG_VALUE:+0:13",
    /relative and without/,
    /test\/acceptance/,
  ),
  key("itself among what it needs", "depends_on: [T-1]", "TP_CONFIG_VALUE:+0:14", /depends on itself/, /remove it/),
  key(
    "two checks with one name",
    "validators: [{ name: a b, command: [x] }]\nscenarios: [{ name: A-b, command: [x] }]",
    "TP_CONFIG_VALUE:+1:21",
    /two checks have names that are too similar/,
    /its own name/,
  ),
  key(
    "a way to treat changed tests that there is not",
    "tests_changed: ask",
    "TP_CONFIG_VALUE:+0:16",
    /`tests_changed` must be block or show/,
    /write tests_changed: block/,
  ),
  key(
    "a watched path that leaves the repo",
    'watched: ["../x"]',
    "TP_CONFIG_VALUE:+0:11",
    /relative and without/,
    /golden|acceptance/,
  ),
  key(
    "a budget of no tokens",
    "budget: { tokens: 0 }",
    "TP_CONFIG_VALUE:+0:19",
    /a whole number of at least 1, found 0/,
    /such as 5/,
  ),
  key(
    "a budget of time in words",
    "budget: { time: soon }",
    "TP_CONFIG_VALUE:+0:17",
    /must be a duration/,
    /s, m or h/,
  ),
  key(
    "a share above all of it",
    "degrade: { when_over_pct: 80 }",
    "TP_CONFIG_VALUE:+0:27",
    /a share above 0 and up to 1, found 80/,
    /such as 0\.8/,
  ),
  key(
    "a budget of no money",
    "budget: { money_usd: 0 }",
    "TP_CONFIG_VALUE:+0:22",
    /at least 0\.01 US dollars, found 0/,
    /such as 5/,
  ),
  key(
    "a reviewer that is not known",
    "review: { reviewers: [test] }",
    "TP_CONFIG_VALUE:+0:23",
    /one of architecture, security, tests, requirements, usability/,
    /did you mean `tests`/,
  ),
  key(
    "a reviewer twice",
    "review: { reviewers: [tests, tests] }",
    "TP_CONFIG_VALUE:+0:22",
    /each role once/,
    /remove the duplicate/,
  ),
  setting(
    "an unknown key",
    "model: []",
    "TP_CONFIG_UNKNOWN_KEY:+0:1",
    /`model` is not a known key/,
    /did you mean `models`/,
  ),
  setting(
    "an unknown key of a model",
    model("adapter: command, command: [x], promt: stdin"),
    "TP_CONFIG_UNKNOWN_KEY:+1:51",
    /promt` is not a known key/,
    /did you mean `prompt`/,
  ),
  setting(
    "an unknown adapter",
    model("adapter: comand"),
    "TP_CONFIG_VALUE:+1:28",
    /must be pi, claude, codex, gemini, opencode, copilot, qwen, command or replay, found the text "comand"/,
    /did you mean `command`/,
  ),
  setting("no command", model("adapter: command"), "TP_CONFIG_VALUE:+1:19", /no `command`/, /add `command:`/),
  setting(
    "models that are no list",
    "models: mine",
    "TP_CONFIG_VALUE:+0:9",
    /must be a list of models/,
    /write it as a list/,
  ),
  setting(
    "two models with one name",
    "models:\n  - { name: a, adapter: command, command: [x] }\n  - { name: a, adapter: command, command: [x] }",
    "TP_CONFIG_VALUE:+2:7",
    /same name as another model/,
    /its own name/,
  ),
  setting(
    "a wrong default",
    "defaults: { prioritty: 3 }",
    "TP_CONFIG_UNKNOWN_KEY:+0:13",
    /not a known key/,
    /did you mean `priority`/,
  ),
  setting(
    "a command of an agent that has an adapter",
    model("adapter: claude, command: [claude]"),
    "TP_CONFIG_VALUE:+1:36",
    /has a `command`, which the adapter claude does not use/,
    /remove the key/,
  ),
  setting(
    "a flag that the runner needs for itself",
    model("adapter: claude, args: [--output-format, text]"),
    "TP_CONFIG_VALUE:+1:43",
    /must not have `--output-format` in `args`/,
    /remove it/,
  ),
  setting(
    "half a price",
    model("adapter: codex, price: { input_per_mtok: 3 }"),
    "TP_CONFIG_MISSING_KEY:+1:42",
    /`models\[1\].price.output_per_mtok` is missing/,
    /add `output_per_mtok:`/,
  ),
  setting(
    "a tier that is not known",
    model("adapter: pi, tiers: { chep: { args: [] } }"),
    "TP_CONFIG_UNKNOWN_KEY:+1:41",
    /`models\[1\].tiers.chep` is not a known key/,
    /did you mean `cheap`/,
  ),
  setting(
    "a pattern that cannot be read",
    model('adapter: pi, rate_limit_patterns: ["(later"]'),
    "TP_CONFIG_VALUE:+1:54",
    /must be a regular expression \(Unterminated group\), found the text "\(later"/,
    /write it as in JavaScript/,
  ),
  setting(
    "a pattern that matches anything",
    model('adapter: pi, rate_limit_patterns: [".*"]'),
    "TP_CONFIG_VALUE:+1:54",
    /must match limit messages only/,
    /write it as in JavaScript/,
  ),
  setting(
    "an estimate below nothing",
    model("adapter: pi, estimate_usd: -1"),
    "TP_CONFIG_VALUE:+1:46",
    /a number of at least 0, found -1/,
    /such as 0.40/,
  ),
  setting(
    "a cooldown that is a word",
    model("adapter: pi, cooldown: soon"),
    "TP_CONFIG_VALUE:+1:42",
    /must be a duration/,
    /s, m or h/,
  ),
  setting("a sandbox that is not known", "sandbox: docker", "TP_CONFIG_VALUE:+0:10", /must be none or bwrap/, /none/),
  setting(
    "a checkpoint that is not known",
    "checkpoint: comit",
    "TP_CONFIG_VALUE:+0:13",
    /must be patch, commit or push/,
    /did you mean `commit`/,
  ),
  setting(
    "a budget of an hour",
    "budget: { hour: { money_usd: 3 } }",
    "TP_CONFIG_UNKNOWN_KEY:+0:11",
    /`budget.hour` is not a known key/,
    /run, day/,
  ),
  setting("a look every blink", "control: { poll: 0.1 }", "TP_CONFIG_VALUE:+0:18", /between 1s and 1h/, /such as 30s/),
  setting(
    "a base URL with a password",
    "evidence: { base_url: https://me:secret-word@example.invalid }",
    "TP_CONFIG_VALUE:+0:23",
    /`evidence.base_url` must not contain a user name or a password$/,
    /write a URL such as/,
  ),
]);
