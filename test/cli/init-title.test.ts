import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { test } from "node:test";
import type { InputStream } from "../../lib/cli/io.ts";
import { readBrief } from "../../lib/documents/brief.ts";
import { writePrograms } from "../agents/programs.ts";
import { makeWorld, type World } from "./arrange.ts";

const packageJson = JSON.stringify({ scripts: { test: "node --test", lint: "eslint ." } });

test("a title alone takes the next free id, and the output says what was chosen and the one next step", async (t) => {
  const world = makeWorld(t);
  world.initRepo({ "package.json": packageJson, "src/a.js": "" });
  const first = await world.call("task-phase", ["init", "Round half up"], { cwd: "repo" });
  assert.deepEqual([first.code, first.stdout], [0, `${world.path("repo/tasks/T-1-round-half-up")}\n`]);
  const second = await world.call("task-phase-init", ["Don't round"], { cwd: "repo/src" });
  assert.deepEqual(withModel(second.stderr).split("\n"), [
    `made ${world.path("repo/tasks/T-2-dont-round")}`,
    "tests: npm test (package.json has a test script)",
    "also found, as comments in the brief: lint: npm run lint",
    `next: say in ${world.path("repo/tasks/T-2-dont-round/README.md")} what T-2 is about; then: task-phase run T-2`,
    "",
  ]);
  const { contract } = briefOf(world, "repo/tasks/T-2-dont-round");
  assert.deepEqual(
    [contract.id, contract.title, contract.validators.map(({ name, command }) => [name, ...command])],
    ["T-2", "Don't round", [["tests", "npm", "test"]]],
  );
  assert.match(
    world.read("repo/tasks/T-2-dont-round/README.md"),
    /^# {3}- \{ name: lint, command: \[npm, run, lint\] \}/m,
  );
});

test("the ids of the root are followed, also where a brief says another one than its folder", async (t) => {
  const world = makeWorld(t);
  world.write("tasks/US-009-a/STATE.md", "");
  world.write("tasks/b/README.md", "---\nid: US-011\ntitle: b\n---\n");
  world.write("tasks/b/STATE.md", "");
  const end = await world.call("task-phase", ["init", "More", "--json"]);
  assert.deepEqual([end.json().task, end.json().task_dir], ["US-012", world.path("tasks/US-012-more")]);
  const named = await world.call("task-phase", ["init", "Own", "--id", "X-1", "--json"]);
  assert.equal(named.json().task_dir, world.path("tasks/X-1-own"));
  const taken = await world.call("task-phase", ["init", "Other", "--id", "US-011", "--json"]);
  assert.deepEqual([taken.code, codesOf(taken)], [64, ["TP_INIT_ID_TAKEN"]]);
});

test("several inits at once take several ids", async (t) => {
  const world = makeWorld(t);
  world.initRepo({});
  const ends = await Promise.all(
    ["A", "B", "C"].map((title) => world.run("task-phase", ["init", title], { cwd: "repo" })),
  );
  assert.deepEqual(
    ends.map(({ code, stderr }) => (code === 0 ? code : stderr)),
    [0, 0, 0],
  );
  const folders = readdirSync(world.path("repo/tasks")).filter((name) => name.startsWith("T-"));
  assert.deepEqual(folders.map((name) => name.slice(0, 3)).sort(), ["T-1", "T-2", "T-3"]);
});

test("without a title or a folder it says what to write", async (t) => {
  for (const words of [[], [" "], ["--brief", "-"]]) {
    const end = await makeWorld(t).call("task-phase-init", words, { stdin: piped("no heading\n") });
    assert.equal(end.code, 64);
    assert.match(
      end.stderr,
      /^error: the title is missing \[TP_USAGE_NO_TITLE\]\n {2}fix: .*task-phase init 'Round half up'/,
    );
  }
});

test("a path or a key as the one word is the folder, and the task that is there is kept", async (t) => {
  const world = makeWorld(t);
  world.initRepo({});
  for (const [word, folder] of [
    ["tasks/T-4-round", "T-4-round"],
    ["T-5-cut", "T-5-cut"],
    ["T-5", "T-5-cut"],
  ] as const) {
    const end = await world.call("task-phase", ["init", word, "--json"], { cwd: "repo" });
    assert.equal(end.json().task_dir, world.path("repo/tasks", folder), end.stderr);
  }
  const again = await world.call("task-phase", ["init", "T-4"], { cwd: "repo" });
  assert.deepEqual(
    withModel(again.stderr)
      .split("\n")
      .filter((line) => /^(?:made|kept|next)/.test(line)),
    [
      "kept in tasks/T-4-round: README.md, EVIDENCE.md, log.txt, progress.txt, last_error.txt, STATE.md",
      "next: say in tasks/T-4-round/README.md what T-4 is about and which command checks it; then: task-phase run T-4",
    ],
  );
  assert.doesNotMatch(again.stderr, /not used/);
});

test("the repo of a tasks root that lies beside it is the one that the person is in", async (t) => {
  const world = makeWorld(t);
  world.initRepo({ "go.mod": "module x\n" }, "work/app");
  world.write("work/tasks/task-phase.yaml", "models: []\n");
  const end = await world.call("task-phase", ["init", "Beside"], { cwd: "work/app" });
  assert.equal(end.code, 0, end.stderr);
  const { contract } = briefOf(world, "work/tasks/T-1-beside");
  assert.deepEqual([contract.repo, contract.validators[0]?.command], ["../../app", ["go", "test", "./..."]]);
});

test("text that is piped in becomes the brief, and the next step is a run", async (t) => {
  const world = makeWorld(t);
  world.initRepo({ "package.json": packageJson });
  const end = await world.run("task-phase", ["init", "Round"], {
    cwd: "repo",
    input: "Round 2.5 to 3.\r\n\r\n- not 2\r\n",
  });
  assert.equal(end.code, 0, end.stderr);
  assert.match(
    end.stderr,
    /\nbrief: from stdin\n[\s\S]*\nnext: (?:name a model in tasks\/task-phase.yaml; then: )?task-phase run T-1\n/,
  );
  const brief = briefOf(world, "repo/tasks/T-1-round");
  assert.deepEqual([brief.body, brief.isEmpty], ["# Round\n\nRound 2.5 to 3.\n\n- not 2", false]);
});

test("text for a brief that is there already is reported as not used", async (t) => {
  const world = makeWorld(t);
  world.initRepo({});
  await world.call("task-phase", ["init", "One"], { cwd: "repo" });
  const before = world.read("repo/tasks/T-1-one/README.md");
  const end = await world.call("task-phase", ["init", "T-1", "--priority=3"], { cwd: "repo", stdin: piped("More\n") });
  assert.match(end.stderr, /the brief already existed and was kept; not used: --priority, the text on stdin \[/);
  assert.equal(world.read("repo/tasks/T-1-one/README.md"), before);
});

test("stdin that is a terminal, a device or silent is not waited for", async (t) => {
  const world = makeWorld(t);
  world.initRepo({});
  const unread = async (): Promise<never> => assert.fail("it was read");
  for (const kind of ["terminal", "nothing"] as const) {
    const end = await world.call("task-phase", ["init", kind], { cwd: "repo", stdin: { kind, read: unread } });
    assert.equal(end.code, 0, end.stderr);
  }
  const limits: number[] = [];
  const read: InputStream["read"] = async ({ silentMs }) => {
    limits.push(silentMs);
    return null;
  };
  const end = await world.call("task-phase", ["init", "silent", "--json"], {
    cwd: "repo",
    stdin: { kind: "text", read },
  });
  assert.deepEqual([end.code, codesOf(end)[0], limits], [0, "TP_INIT_STDIN_SILENT", [3_000]]);
  assert.equal(briefOf(world, "repo/tasks/T-3-silent").isEmpty, true);
});

test("a brief of a person's own keeps its front matter, and the title comes from its heading", async (t) => {
  const world = makeWorld(t);
  world.initRepo({ "package.json": packageJson });
  const own = "---\n# my order\nbudget: { passes: 7 }   # mine\nprotected: [a/**]\n---\n# Round *half* up\n\nDo it.\n";
  world.write("repo/wish.md", own);
  const end = await world.call("task-phase", ["init", "--brief", "wish.md", "--priority", "3"], { cwd: "repo" });
  assert.equal(end.code, 0, end.stderr);
  const { contract, body } = briefOf(world, "repo/tasks/T-1-round-half-up");
  assert.deepEqual(
    [contract.title, contract.budget.passes, contract.protected, contract.priority, contract.validators.length, body],
    ["Round half up", 7, ["a/**"], 3, 1, "# Round *half* up\n\nDo it."],
  );
  assert.match(
    world.read("repo/tasks/T-1-round-half-up/README.md"),
    /\n# my order\nbudget: \{ passes: 7 \} {3}# mine\nprotected: \[a\/\*\*\]\npriority: 3\n/,
  );
});

test("a key that both the brief and a flag give is refused, and so is an unknown key", async (t) => {
  const world = makeWorld(t);
  world.initRepo({});
  const cases: readonly (readonly [string, readonly string[], number, string])[] = [
    ["---\ntitle: A\n---\nx\n", ["B"], 64, "TP_INIT_SAID_TWICE"],
    ["---\nbuget: 1\n---\nx\n", ["B"], 64, "TP_CONFIG_UNKNOWN_KEY"],
    ["---\na: [\n---\nx\n", ["B"], 65, "TP_YAML_SYNTAX"],
    ["---\ndepends_on: [T-9]\n---\nx\n", ["B"], 64, "TP_INIT_DEPENDENCY"],
    [" \n", ["B"], 64, "TP_INIT_BRIEF"],
    ["\u0000", ["B"], 65, "TP_TEXT_CHARACTER"],
  ];
  for (const [text, words, exit, code] of cases) {
    world.write("wish.md", text);
    const end = await world.call("task-phase", ["init", ...words, "--brief", "../wish.md", "--json"], { cwd: "repo" });
    assert.deepEqual([end.code, codesOf(end)[0]], [exit, code], JSON.stringify([text, end.json().findings]));
  }
  assert.deepEqual(readdirSync(world.path("repo")), [".git"]);
});

test("--brief - waits for stdin as long as it takes", async (t) => {
  const world = makeWorld(t);
  const limits: number[] = [];
  const read: InputStream["read"] = async ({ silentMs }) => {
    limits.push(silentMs);
    return Buffer.from("# Title\n\nText\n");
  };
  const end = await world.call("task-phase", ["init", "--brief", "-"], { stdin: { kind: "nothing", read } });
  assert.deepEqual([end.code, limits], [0, [Number.POSITIVE_INFINITY]], end.stderr);
  assert.equal(briefOf(world, "tasks/T-1-title").title, "Title");
});

test("--edit opens the new brief in the person's editor", async (t) => {
  const world = makeWorld(t);
  world.initRepo({});
  const bin = writePrograms(world.path("bin"), { ed1: 'echo "$1: wish" >> "$2"', ed2: "exit 3" });
  const terminal: InputStream = { kind: "terminal", read: async () => assert.fail("it was read") };
  const edit = (title: string, env: Record<string, string>) =>
    world.call("task-phase", ["init", title, "-e"], {
      cwd: "repo",
      stdin: terminal,
      env: { ...env, PATH: `${bin}:${world.env.PATH}` },
    });
  const good = await edit("One", { VISUAL: "ed1 --wait", EDITOR: "ed2" });
  assert.match(good.stderr, /task-phase run T-1\n/);
  assert.doesNotMatch(good.stderr, /what T-1 is about/);
  assert.match(world.read("repo/tasks/T-1-one/README.md"), /\n--wait: wish\n$/);
  const bad = await edit("Two", { VISUAL: "", EDITOR: "ed2" });
  assert.match(bad.stderr, /warning: the editor failed: it ended with 3 \[TP_INIT_EDIT\]/);
  assert.equal(bad.code, 0);
});

test("dependencies are named by id or folder, and a wrong one says which was meant", async (t) => {
  const world = makeWorld(t);
  world.initRepo({});
  const init = (...words: string[]) => world.call("task-phase", ["init", ...words, "--json"], { cwd: "repo" });
  await init("Is number");
  await init("Second", "--depends-on", "T-1-is-number", "--depends-on", "T-1", "--depends-on", "tasks/T-1-is-number/");
  assert.deepEqual(briefOf(world, "repo/tasks/T-2-second").contract.dependsOn, ["T-1"]);
  for (const [word, fix] of [
    ["T-1-isnumber", "did you mean T-1?"],
    ["t-2", "did you mean T-2?"],
    ["secondd", "correct it, or make that task first"],
  ]) {
    const end = await init("Third", "--depends-on", String(word));
    const [finding] = end.json().findings as { code: string; fix: string }[];
    assert.deepEqual([end.code, finding?.code, finding?.fix], [64, "TP_INIT_DEPENDENCY", fix]);
  }
});

test("the repo's commands are left out where a validator is named, none is wanted, or the defaults have some", async (t) => {
  const world = makeWorld(t);
  world.initRepo({ "package.json": packageJson });
  const names = async (title: string, ...words: string[]) => {
    const end = await world.call("task-phase", ["init", title, ...words, "--json"], { cwd: "repo" });
    const dir = String(end.json().task_dir).slice(world.folder.length + 1);
    return [briefOf(world, dir).contract.validators.map(({ name }) => name), (end.json().checks as unknown[]).length];
  };
  assert.deepEqual(await names("one", "--validator", "own=node --test"), [["own"], 0]);
  assert.deepEqual(await names("two", "--no-validator"), [[], 0]);
  assert.deepEqual(await names("three", "--all-checks"), [["tests", "lint"], 2]);
  world.write("repo/tasks/task-phase.yaml", "models: []\ndefaults:\n  validators: [{ name: all, command: [make] }]\n");
  assert.deepEqual(await names("four"), [[], 0]);
});

test("a task that is done is named as done", async (t) => {
  const world = makeWorld(t);
  mkdirSync(world.path("tasks"));
  const source = new URL("../../../docs/sample/T-001-stream-csv", import.meta.url);
  const { cpSync } = await import("node:fs");
  cpSync(source, world.path("tasks/T-001-stream-csv"), { recursive: true });
  const end = await world.call("task-phase", ["init", "T-001"]);
  assert.match(end.stderr, /\nT-001 is done; task-phase resume T-001 --to intake --reason WHY opens it again\n/);
});

function piped(text: string): InputStream {
  return { kind: "text", read: async () => Buffer.from(text) };
}

function briefOf(world: World, taskDir: string) {
  const brief = readBrief(Buffer.from(world.read(`${taskDir}/README.md`)), "README.md");
  assert(brief.kind === "brief", JSON.stringify(brief));
  return brief;
}

function codesOf(end: { json(): Record<string, unknown> }): string[] {
  return (end.json().findings as { code: string }[]).map(({ code }) => code);
}

/** Without the step that only a machine without an agent CLI needs. */
function withModel(text: string): string {
  return text.replace(/(?:, and |(?<=next: ))name a model in \S+(?=; then)/, "");
}
