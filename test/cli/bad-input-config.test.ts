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

// What each key may hold is a matter of test/documents: here are the place in the file, and that no secret is shown.
const wrong = ["status", "check", "run"] as const;

testTable(expectText, "a contract or a configuration that is wrong", [
  {
    name: "README.md: an unknown key",
    spoil: putBrief("validater: []"),
    expect: everywhere(`78 TP_CONFIG_UNKNOWN_KEY ${readme}:4:1`, { init: "0" }),
  },
  {
    name: "README.md: a command that is one text",
    spoil: putBrief("validators: [{ name: a, command: npm test }]"),
    expect: only(wrong, `78 TP_CONFIG_VALUE ${readme}:4:34`),
  },
  {
    name: "task-phase.yaml: an unknown key of a model",
    spoil: putConfig("models:\n  - { name: mine, adapter: command, command: [x], promt: stdin }"),
    expect: only(wrong, `78 TP_CONFIG_UNKNOWN_KEY ${config}:2:51`),
  },
  {
    name: "task-phase.yaml: a base URL with a password",
    spoil: putConfig("evidence: { base_url: https://me:secret-word@example.invalid }"),
    expect: only(wrong, `78 TP_CONFIG_VALUE ${config}:1:23`),
  },
]);
