import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";
import { adapters } from "../../lib/agents/adapters/adapters.ts";
import { triedVersions } from "../../lib/agents/inspect/versions.ts";
import { makeEnvelope } from "../../lib/cli/report-result.ts";
import { readBrief } from "../../lib/documents/brief.ts";
import { cliNames } from "../../lib/documents/config/adapter-names.ts";
import { loadConfig } from "../../lib/documents/config/load-config.ts";
import { eventShapes } from "../../lib/rules/shapes/events.ts";
import { stateFields } from "../../lib/rules/state-view.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import type { Finding } from "../../lib/text/finding.ts";
import { projectRoot } from "../cli/arrange.ts";

interface DocumentParts {
  makeParts(): Record<string, Record<string, string>>;
  fillParts(text: string, parts: Record<string, string>): string;
}

const readme = readText("README.md");
const models = readText("docs/models.md");
const unknownKey = "zzzzzzzzzzzz";

test("the generated parts of the documents are those that the tables of the program make", async () => {
  const { makeParts, fillParts } = await loadScript();
  for (const [name, parts] of Object.entries(makeParts())) {
    const text = readText(name);
    assert.equal(fillParts(text, parts), text, `${name} is out of date: node scripts/doc-parts.mjs`);
  }
});

test("README.md has at most 220 lines, and its first 30 show a picture, the installation and three commands", () => {
  const lines = readme.trimEnd().split("\n");
  assert.ok(lines.length <= 220, `${lines.length} lines`);
  const first = lines.slice(0, 30).join("\n");
  for (const words of [
    "docs/sample/caught-lie.svg",
    "npm ci && npm run example",
    "npm ci && npm test",
    ...["init", "run", "loop"].map((name) => `task-phase ${name} `),
  ])
    assert.ok(first.includes(words), words);
});

test("ARCHITECTURE.md has a row for each room", () => {
  const table = readText("ARCHITECTURE.md").split("## The rooms")[1]?.split("\n## ")[0] ?? "";
  const rooms = [...table.matchAll(/^\| (`lib\/.*?`) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`lib\/([\w-]+)\/`/g)].map(([, room = ""]) => room),
  );
  const folders = readdirSync(path.join(projectRoot, "lib"));
  assert.deepEqual([...rooms].sort(), folders.sort());
});

test("the picture of README.md is the one that the records of the sample make", async () => {
  const script = path.join(projectRoot, "scripts", "draw-caught-lie.mjs");
  const { drawCaughtLie } = (await import(pathToFileURL(script).href)) as { drawCaughtLie(taskDir: string): string };
  const drawn = drawCaughtLie(path.join(projectRoot, "docs", "sample", "T-001-stream-csv"));
  assert.equal(readText("docs/sample/caught-lie.svg"), drawn, "out of date: node scripts/draw-caught-lie.mjs");
});

test("every relative link of a document leads to a file, and to a heading that is there", () => {
  const root = ["README.md", "SECURITY.md", "AGENTS.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
  const names = [...root, "scripts/README.md", ...listDocuments()];
  const broken = names.flatMap((name) =>
    [...withoutFences(readText(name)).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)]
      .map((match) => match[1] ?? "")
      .filter((link) => !leadsSomewhere(name, link))
      .map((link) => `${name}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

test("a part that is out of date is written anew between its marks, and nothing else is touched", async () => {
  const { fillParts } = await loadScript();
  const marked = (inner: string) => `before\n<!-- generated: a -->\n${inner}<!-- end of generated: a -->\nafter\n`;
  assert.equal(fillParts(marked("\nold\n\n"), { a: "new" }), marked("\nnew\n\n"));
  assert.equal(fillParts(marked(""), { a: "new" }), marked("\nnew\n\n"));
});

test("a part without marks, marked twice or not ended is an error that names it", async () => {
  const { fillParts } = await loadScript();
  const open = "<!-- generated: a -->\n";
  const end = "<!-- end of generated: a -->\n";
  assert.throws(() => fillParts("no marks\n", { a: "x" }), /once: a$/);
  assert.throws(() => fillParts(`${open}${end}${open}${end}`, { a: "x" }), /once: a$/);
  assert.throws(() => fillParts(`${open}${end}`, {}), /once: a$/);
  assert.throws(() => fillParts(open, { a: "x" }), /part a is not ended/);
});

test("the documents name every key of the contract and of task-phase.yaml that this version knows", () => {
  const keys = [...contractKeys(), ...configKeys()];
  assert.ok(keys.includes("validators") && keys.includes("recordings") && keys.includes("money_usd"), keys.join(", "));
  const pages = ["contract", "config", "models"].map((name) => readText(`docs/${name}.md`)).join("\n");
  assert.deepEqual(
    keys.filter((key) => !new RegExp(`\\b${key}\\b`).test(pages)),
    [],
  );
});

test("README.md names the commands that a reader types first, on a fresh machine each in one line", () => {
  assert.match(readme, /^task-phase demo$/m);
  const [, block = ""] = readme.split("```sh\n");
  assert.match(block, /^git clone .*\nnpm ci && npm run example .*\nnpm ci && npm test .*\n/);
});

test("docs/models.md shows each agent CLI as its adapter calls it", () => {
  const places = { repo: "REPO", taskDir: "TASK", workFolder: "WORK", sessionId: "ID" };
  const call = { ...places, args: [], sandboxed: false, root: false };
  const shown = cliNames.map((name) => new RegExp(`^\\| \`${name}\` \\| \`(${name} .*)\` \\|$`, "m").exec(models)?.[1]);
  assert.deepEqual(
    shown,
    cliNames.map((name) => [adapters[name].program, ...adapters[name].argv(call)].join(" ")),
  );
});

test("docs/models.md's table of agent CLIs has their packages, the versions that were tried, cost and cheap tiers", () => {
  const cells = (title: string) => new RegExp(`^\\| ${title} \\| (.*) \\|$`, "m").exec(models)?.[1]?.split(" | ");
  assert.deepEqual(["agent CLI", "npm package", "newest version tried", "cost", "cheap tier"].map(cells), [
    cliNames.map((name) => `\`${name}\``),
    cliNames.map((name) => `\`${adapters[name].npmPackage}\``),
    cliNames.map((name) => triedVersions[name].version),
    cliNames.map((name) => (adapters[name].reportsCost ? "reported" : "from `price`")),
    cliNames.map((name) => adapters[name].cheapArgs.join(" ")).map((words) => (words === "" ? "none" : `\`${words}\``)),
  ]);
});

test("docs/task-folder.md has a row for each field of STATE.md, in the order of a new file", () => {
  const rows = [
    ...readText("docs/task-folder.md").matchAll(/^\| ([A-Z][a-z ]+) \| (?:proposal|agent|content|runner) \|/gm),
  ];
  assert.deepEqual(
    rows.map((row) => row[1]),
    stateFields.map((field) => field.label),
  );
});

test("docs/json.md names every key that run --json prints, and every event of the journal", () => {
  const json = readText("docs/json.md");
  const events = Object.keys(eventShapes);
  assert.deepEqual(
    [...Object.keys(makeEnvelope("run", "ok", [], {})), ...events].filter((word) => !json.includes(`\`${word}\``)),
    [],
  );
});

test("each path that AGENTS.md and CONTRIBUTING.md name is there", () => {
  const roots = ["lib", "test", "scripts", "docs", "templates", "tasks.example", "schemas", "bench", "ci", ".github"];
  const path = new RegExp(`\`((?:${roots.join("|").replaceAll(".", "\\.")})/[\\w./-]+)`, "g");
  const named = ["AGENTS.md", "CONTRIBUTING.md"].flatMap((name) =>
    [...readText(name).matchAll(path)].map(([, found = ""]) => found),
  );
  assert.ok(named.length > 20, named.join(", "));
  assert.deepEqual(
    named.filter((name) => !name.endsWith("/NAME.ts") && !existsSync(`${projectRoot}/${name}`)),
    [],
  );
});

test("the plugin is what its one source makes, with the manifests that Claude Code and Codex read", async () => {
  const script = path.join(projectRoot, "scripts", "plugin-files.mjs");
  const { makePluginFiles } = (await import(pathToFileURL(script).href)) as {
    makePluginFiles(): Record<string, string>;
  };
  const files = makePluginFiles();
  for (const [name, text] of Object.entries(files)) assert.equal(readText(name), text, `${name}: npm run docs`);
  const there = readdirSync(path.join(projectRoot, "plugin"), { recursive: true, withFileTypes: true });
  const found = there.flatMap((entry) =>
    entry.isFile() ? [path.relative(projectRoot, path.join(entry.parentPath, entry.name))] : [],
  );
  const made = Object.keys(files);
  assert.deepEqual(found.sort(), made.filter((name) => name.startsWith("plugin/")).sort());
  // Each list leads to the folder, and only the manifests are in the folders of that name.
  const [claude, codex] = [".claude-plugin", ".agents/plugins"].map((folder) =>
    JSON.parse(readText(`${folder}/marketplace.json`)),
  ) as { plugins: { name: string; source: unknown }[] }[];
  assert.deepEqual(
    [claude, codex].map((list) => list?.plugins.map(({ name, source }) => [name, source])),
    [[["task-phase", "./plugin"]], [["task-phase", { source: "local", path: "./plugin" }]]],
  );
});

test("a release publishes the version of its tag after all tests, with provenance and no other rights", () => {
  const { on, permissions, jobs } = parse(readText(".github/workflows/release.yml")) as {
    on: unknown;
    permissions: unknown;
    jobs: { publish: { permissions: unknown; steps: readonly { name?: string; run?: string }[] } };
  };
  const { permissions: own, steps } = jobs.publish;
  const rights = { contents: "read", "id-token": "write" };
  assert.deepEqual([on, permissions, own], [{ push: { tags: ["v*"] } }, { contents: "read" }, rights]);
  const runs = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
  assert.deepEqual(runs.slice(1, -1), ["npm ci --no-audit --no-fund", "npm test", "node scripts/test-install.mjs"]);
  assert.match(runs.at(-1) ?? "", /^npm publish --provenance --access public /m);
  // An expression in a script would be run as a part of it.
  assert.doesNotMatch(runs.join("\n"), /\$\{\{/);
  const judge = (tag: string) =>
    spawnSync("bash", ["-e", "-c", runs[0] ?? ""], { cwd: projectRoot, env: { ...process.env, GITHUB_REF_NAME: tag } })
      .status;
  const { version } = JSON.parse(readText("package.json")) as { version: string };
  assert.deepEqual([`v${version}`, version, "v99.0.0"].map(judge), [0, 1, 1]);
});

function readText(name: string): string {
  return readFileSync(path.join(projectRoot, name), "utf8");
}

function listDocuments(): string[] {
  return readdirSync(path.join(projectRoot, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
}

function leadsSomewhere(from: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? from : path.join(path.dirname(from), file);
  if (!existsSync(path.join(projectRoot, target))) return false;
  return anchor === undefined || listAnchors(readText(target)).includes(anchor);
}

/** As git hosts make them from headings. */
function listAnchors(markdown: string): string[] {
  return [...withoutFences(markdown).matchAll(/^#+ (.*)$/gm)].map((match) =>
    (match[1] ?? "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
}

function withoutFences(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, "");
}

async function loadScript(): Promise<DocumentParts> {
  return await import(pathToFileURL(path.join(projectRoot, "scripts", "doc-parts.mjs")).href);
}

/** An unknown key is refused with the list of the known ones: that list is what a person sees, so it is used here. */
function contractKeys(): string[] {
  const front = ["id: T-1", "title: T", `${unknownKey}: 1`, ...["budget", "review"].map(withUnknownKey)];
  const checks = `validators: [{ name: a, command: [a], ${unknownKey}: 1 }]`;
  const brief = readBrief(Buffer.from(`---\n${front.join("\n")}\n${checks}\n---\n`), "README.md");
  return brief.kind === "bad" ? knownKeys(brief.findings) : [];
}

function configKeys(): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), "task-phase-readme-"));
  try {
    const file = path.join(folder, "task-phase.yaml");
    const model = `models: [{ name: a, adapter: command, command: [a], ${unknownKey}: 1 }]`;
    writeFileSync(file, `${unknownKey}: 1\n${model}\n`);
    loadConfig({ configFlag: file, env: {}, home: folder, cwd: folder, taskDir: folder });
    return [];
  } catch (error) {
    if (error instanceof TaskPhaseError) return knownKeys(error.findings);
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function withUnknownKey(key: string): string {
  return `${key}: { ${unknownKey}: 1 }`;
}

function knownKeys(findings: readonly Finding[]): string[] {
  return findings.flatMap((finding) => /known keys here: (.*)$/.exec(finding.fix ?? "")?.[1]?.split(", ") ?? []);
}
