import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ArtifactRow } from "../../../lib/pages/files/list-artifacts.ts";
import { renderEvidenceParts, renderSummary } from "../../../lib/pages/markdown/evidence-parts.ts";
import { buildEvidenceModel, type EvidenceInput } from "../../../lib/pages/model/build-model.ts";
import { renderEvidencePage } from "../../../lib/pages/page/evidence-page.ts";
import { eventsAt, stateFile } from "../../cli/task-states.ts";
import { makeTaskWorld } from "../../cli/task-world.ts";
import { change, code, fullTask } from "../full-task.ts";
import { brokenLinks, renderLikeAHost } from "../render-like-a-host.ts";
import { artifacts, sampleTask, verdict } from "../sample-task.ts";

const git = (cwd: string, ...args: readonly string[]) => {
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...args], { cwd, stdio: "ignore" });
};

const file = (pass: number, name: "task" | "changes"): ArtifactRow => {
  const path = `artifacts/passes/000${pass}/${name}.patch`;
  return { path, href: path, size: 9, sha256: "e".repeat(64), kind: "runner" };
};
const parts = (input: EvidenceInput) => renderEvidenceParts(buildEvidenceModel(input));
const linked = (text: string) =>
  renderLikeAHost(text).links.flatMap(({ text: name, href }) => (href.endsWith(".patch") ? [`${name}: ${href}`] : []));
const withPatches = (...rows: readonly ArtifactRow[]) => fullTask({ artifacts: [...artifacts, ...rows] });

test("the newest diff of the task is a link at the top, in the report as well", () => {
  const input = withPatches(file(3, "changes"), file(3, "task"), file(5, "changes"), file(5, "task"));
  const { status, checks, record } = parts(input);
  const link = "diff: artifacts/passes/0005/task.patch";
  assert.deepEqual([linked(status), linked(checks), linked(record)], [[link], [], []]);
  assert.deepEqual(linked(renderSummary(buildEvidenceModel(input))), [link]);
});

test("without a diff of the whole task each pass has its own, and of many the newest stand at the top", () => {
  const { status } = parts(withPatches(...[1, 2, 3, 4].map((pass) => file(pass, "changes"))));
  const links = [1, 2, 3, 4].map((pass) => `diff of pass ${pass}: artifacts/passes/000${pass}/changes.patch`);
  assert.deepEqual(linked(status), links.slice(1));
  const mixed = parts(withPatches(file(3, "task"), file(5, "changes")));
  assert.deepEqual(linked(mixed.status), [
    "diff up to pass 3: artifacts/passes/0003/task.patch",
    "diff of pass 5: artifacts/passes/0005/changes.patch",
  ]);
});

test("where there is no diff, both documents name the paths and say why", () => {
  const paths = [{ path: "a.js", change: "changed" }];
  const said = (changes: Parameters<typeof verdict>[1]) => {
    const model = buildEvidenceModel(sampleTask({ events: [verdict(1, changes)], artifacts: [] }));
    const texts = [renderEvidencePage(model), renderEvidenceParts(model).status];
    return texts.map((text) => [/No diff: ([^<]*?)\./.exec(text)?.[1], /a\.js/.test(text)]);
  };
  const twice = (text: string | undefined) => Array(2).fill([text, text !== undefined]);
  const outside = "the repo is not under git, or had no commit yet";
  assert.deepEqual(said({ changed_paths: paths }), twice(outside));
  assert.deepEqual(said({ changed_paths: paths, code: { ...code, commit: null } }), twice(outside));
  assert.deepEqual(said({ changed_paths: paths, code }), twice("git made none, or its file was removed"));
  assert.deepEqual(said({}), twice(undefined));
});

test("files of a check that no diff can show are named", () => {
  const rows = (changed: readonly string[], ...names: readonly string[]) => {
    const watched = [
      ...names.map((name) => change({ name, kind: "executable", change: "changed", detail: "other bytes" })),
      change({ name: "gen.sh", kind: "check_file", change: "changed", detail: "other bytes" }),
      change({ name: "a.test.js" }),
    ];
    const changed_paths = changed.map((path) => ({ path, change: "changed" }));
    const events = [verdict(1, { watched, changed_paths })];
    const model = buildEvidenceModel(sampleTask({ events, artifacts: [file(1, "task")] }));
    const page = renderLikeAHost(renderEvidenceParts(model).checks);
    const ofPage = renderEvidencePage(model).match(/class="note">not in the diff: /g)?.length ?? 0;
    return { ofPage, cells: page.tables.find(({ head }) => head.includes("Standing"))?.rows.map((row) => row[2]) };
  };
  const ignored = "other bytes; not in the diff: git ignores it, or no pass changed it";
  assert.deepEqual(rows(["gen.sh"], "node_modules/.bin/tap", "/usr/bin/tap"), {
    ofPage: 2,
    cells: [
      ignored,
      "other bytes; not in the diff: it is outside the repo",
      "other bytes",
      "1 of 4 assertions is gone",
    ],
  });
  const many = Array.from({ length: 200 }, (_, index) => `${index}.js`);
  assert.deepEqual(rows(many).ofPage, 0, "a list of paths that was cut tells of no path that it is not there");
  assert.deepEqual(rows([]).cells?.[0], ignored);
});

test("after a pass in git the diff is linked, and changes of tests and checks are listed as the brief asks", async (t) => {
  const world = makeTaskWorld(t);
  const old =
    'import { equal } from "node:assert";\nimport { test } from "node:test";\ntest("2", () => equal(1 + 1, 2));\n';
  const task = await world.makeTask("diff", {
    contract: ["validators: [{ name: tests, command: [./bin/check.sh] }]", "tests_changed: show"],
    repo: { ".gitignore": "bin/\n", "bin/check.sh": "#!/bin/sh\ntrue\n", "a.test.js": old },
    state: { phase: "verify" },
    events: (place) => {
      chmodSync(join(place.repo, "bin/check.sh"), 0o755);
      git(place.repo, "init", "--quiet");
      git(place.repo, "add", "--all");
      git(place.repo, "commit", "--quiet", "--message=start");
      return eventsAt("verify", place);
    },
  });
  const files = { "a.test.js": old.replace("1 + 1", "2"), "bin/check.sh": "#!/bin/sh\nexit 0\n" };
  task.propose({ task: { "STATE.md": stateFile({ phase: "review" }) }, repo: files });
  const report = await task.pass();
  assert.equal(report.verdict, "accepted", JSON.stringify(report));
  const page = renderLikeAHost(task.read("EVIDENCE.md"));
  assert.deepEqual(brokenLinks(page, task.taskDir), []);
  assert.deepEqual(linked(task.read("EVIDENCE.md")), ["diff: artifacts/passes/0001/task.patch"]);
  assert.match(page.html, /<code class="language-diff">diff --git a\/a\.test\.js/);
  const shown = "only shown: the brief sets tests_changed: show";
  const rows = page.tables.find(({ head }) => head.includes("Standing"))?.rows ?? [];
  assert.deepEqual(
    rows.map(([what, , detail, standing]) => [what, /not in the diff: .*/.exec(detail ?? "")?.[0], standing]).sort(),
    [
      ["a.test.js (test)", undefined, shown],
      ["bin/check.sh (executable)", "not in the diff: git ignores it, or no pass changed it", shown],
    ],
  );
});
