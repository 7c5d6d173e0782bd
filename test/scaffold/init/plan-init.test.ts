import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readBrief } from "../../../lib/documents/brief.ts";
import { applyInit, proveInit } from "../../../lib/scaffold/init/apply.ts";
import { readGivenBrief } from "../../../lib/scaffold/init/given-brief.ts";
import { type InitRequest, planInit } from "../../../lib/scaffold/init/plan-init.ts";
import { makeFolder } from "../../process/arrange.ts";

const now = new Date("2026-11-21T10:00:00Z");
const request = (taskDir: string, more: Partial<InitRequest> = {}): InitRequest => ({
  ...{ taskDir, title: null, id: null, repo: null, priority: null, dependsOn: [], validators: [] },
  ...{ userFacing: false, withTasks: false, now },
  ...more,
});
const names = ["README.md", "EVIDENCE.md", "log.txt", "progress.txt", "last_error.txt", "STATE.md"];

function contractOf(files: readonly { name: string; content: string }[]) {
  const brief = readBrief(Buffer.from(files.find(({ name }) => name === "README.md")?.content ?? ""), "README.md");
  assert(brief.kind === "brief", JSON.stringify(brief));
  return brief.contract;
}

test("a plan has every file, STATE.md last, and is written once", (t) => {
  const taskDir = join(makeFolder(t), "T-7-stream-csv");
  const plan = planInit(request(taskDir, { withTasks: true }));
  assert.deepEqual(
    [plan.id, plan.files.map(({ name }) => name)],
    ["T-7", [...names.slice(0, 2), "TASKS.md", ...names.slice(2)]],
  );
  assert.deepEqual([contractOf(plan.files).id, contractOf(plan.files).title], ["T-7", "Stream csv"]);
  const first = applyInit(plan, taskDir);
  assert.deepEqual([first.made.length, first.kept, proveInit(taskDir, first)], [7, [], { id: "T-7", findings: [] }]);
  writeFileSync(join(taskDir, "README.md"), "# mine\n");
  const second = applyInit(plan, taskDir);
  assert.deepEqual(
    [second.made, second.kept.length, readFileSync(join(taskDir, "README.md"), "utf8")],
    [[], 7, "# mine\n"],
  );
  const proven = proveInit(taskDir, second);
  assert.deepEqual([proven.id, proven.findings.map(({ severity }) => severity)], [null, ["warning"]]);
  assert.deepEqual(readdirSync(taskDir).length, 8);
});

test("the repo is written relative to the task folder, through links too", (t) => {
  const folder = makeFolder(t);
  mkdirSync(join(folder, "app"));
  const repoOf = (taskDir: string) => contractOf(planInit(request(taskDir, { repo: join(folder, "app") })).files).repo;
  assert.equal(repoOf(join(folder, "tasks", "T-1")), "../../app");
  assert.equal(repoOf(join(folder, "app")), ".");
});

test("commands that were found become validators, and the others comments", (t) => {
  const found = {
    validators: [{ name: "tests", command: ["npm", "test"] }],
    offered: [{ name: "lint", command: ["npm", "run", "lint"], why: "package.json has a lint script" }],
  };
  const { files } = planInit(request(join(makeFolder(t), "T-1"), { found, validators: ["own=node x"] }));
  assert.deepEqual(
    contractOf(files).validators.map(({ name, command }) => [name, ...command]),
    [
      ["own", "node", "x"],
      ["tests", "npm", "test"],
    ],
  );
});

test("a brief of one's own gets what it lacks, and keeps what it has", (t) => {
  const given = readGivenBrief(Buffer.from("---\nid: T-9\nrepo: ../x\n---\ntext\n"), "wish.md");
  const taskDir = join(makeFolder(t), "T-1-a-title");
  const plan = planInit(request(taskDir, { given, priority: 4, dependsOn: ["T-2"], userFacing: true }));
  const { id, title, repo, priority, dependsOn, userFacing } = contractOf(plan.files);
  assert.deepEqual(
    [plan.id, id, title, repo, priority, dependsOn, userFacing],
    ["T-9", "T-9", "A title", "../x", 4, ["T-2"], true],
  );
  assert.match(
    plan.files[0]?.content ?? "",
    /^---\ntitle: A title\nid: T-9\nrepo: \.\.\/x\npriority: 4\n[\s\S]*---\n\n# A title\n\ntext\n$/,
  );
});

test("input that makes no readable brief is refused before anything is written", (t) => {
  const taskDir = join(makeFolder(t), "T-1");
  const given = readGivenBrief(Buffer.from("---\nbuget: 1\n---\ntext\n"), "wish.md");
  assert.throws(() => planInit(request(taskDir, { given })), { exitName: "usage" });
  assert.throws(() => planInit(request(taskDir, { title: "x".repeat(301) })), { exitName: "usage" });
  assert.throws(() => planInit(request(taskDir, { dependsOn: ["T-1"] })), /cannot depend on itself/);
  assert.throws(() => planInit(request("/")), /root of the file system/);
  assert.throws(() => planInit(request(taskDir, { repo: join(taskDir, "none") })), /existing folder/);
});

test("a hostile title is that of the brief as it was given, on one line and without a key of its own", (t) => {
  const taskDir = join(makeFolder(t), "T-1");
  const titleOf = (title: string) => {
    const { id, title: read } = contractOf(planInit(request(taskDir, { title })).files);
    assert.equal(id, "T-1");
    return read;
  };
  for (const title of ["<% throw 1 %>", "{{ x }} [a]: &b *c", "- x", "'\"\\", "\u202eabc", "null"])
    assert.equal(titleOf(title), title);
  assert.equal(titleOf("a\nid: evil\n---\n\tb\u0007"), "a id: evil --- b");
});
