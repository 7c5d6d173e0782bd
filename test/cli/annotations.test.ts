import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { annotate, plainLogLine } from "../../lib/cli/annotations.ts";
import { errorFinding, infoFinding, warningFinding } from "../../lib/text/finding.ts";
import { makeGitRepo } from "../history/git-maker.ts";

function makeRepo(t: TestContext): string {
  const { folder } = makeGitRepo(t, []);
  mkdirSync(path.join(folder, "tasks"));
  return folder;
}

test("github gets one workflow command for each finding, with the path from the top of the working tree", (t) => {
  const top = makeRepo(t);
  const file = path.join(top, "tasks", "T-1", "STATE.md");
  const lines = annotate(
    "github",
    [
      errorFinding("TP_A", "it is wrong", { file, line: 3, column: 5, fix: "put it right" }),
      warningFinding("TP_B", "it may be wrong", { file }),
      infoFinding("TP_C", "so it is"),
      errorFinding("TP_D", "elsewhere", { file: "/etc/task-phase.yaml", line: 1 }),
    ],
    path.join(top, "tasks"),
  );
  assert.deepEqual(lines, [
    "::error file=tasks/T-1/STATE.md,line=3,col=5,title=TP_A::it is wrong%0Afix: put it right",
    "::warning file=tasks/T-1/STATE.md,title=TP_B::it may be wrong",
    "::notice title=TP_C::so it is",
    "::error title=TP_D::elsewhere",
  ]);
});

test("nothing in a name or a message ends a workflow command or begins another", (t) => {
  const top = makeRepo(t);
  const file = path.join(top, "tasks", "a,line=9::error::x%0A\r\n::warning::y");
  const [line = "", ...more] = annotate(
    "github",
    [errorFinding("TP_A", "100 %\r\n::error::forged\u001b[2J\u202e", { file, line: 1 })],
    top,
  );
  assert.deepEqual(more, []);
  assert.equal(
    line,
    "::error file=tasks/a%2Cline=9%3A%3Aerror%3A%3Ax%250A%0D%0A%3A%3Awarning%3A%3Ay,line=1,title=TP_A::100 %25%0D%0A::error::forged\\x1b[2J\\u{202e}",
  );
  assert.equal(plainLogLine("::error::x ##[add-mask]y"), "task-phase check: ::error::x # #[add-mask]y");
});

test("gitlab gets a Code Quality report, whose fingerprints are those of the same findings elsewhere", (t) => {
  const findings = (top: string) => [
    errorFinding("TP_A", "it is \u009bwrong\u2028", { file: path.join(top, "tasks", "STATE.md"), line: 3, fix: "do" }),
    warningFinding("TP_B", "it may be", { file: "/etc/x" }),
    infoFinding("TP_C", "so it is", { file: path.join(top, "a\nb") }),
  ];
  const read = (top: string) =>
    JSON.parse(annotate("gitlab", findings(top), top).join("\n")) as { fingerprint: string }[];
  const top = makeRepo(t);
  const report = read(top);
  assert.deepEqual(report, read(makeRepo(t)));
  assert.deepEqual(
    report.map(({ fingerprint, ...rest }) => rest),
    [
      {
        description: "it is \\x9bwrong\\u{2028} (do)",
        check_name: "TP_A",
        severity: "critical",
        location: { path: "tasks/STATE.md", lines: { begin: 3 } },
      },
      { description: "it may be", check_name: "TP_B", severity: "minor", location: { path: ".", lines: { begin: 1 } } },
      {
        description: "so it is",
        check_name: "TP_C",
        severity: "info",
        location: { path: "a\nb", lines: { begin: 1 } },
      },
    ],
  );
  assert.equal(new Set(report.map(({ fingerprint }) => fingerprint)).size, 3);
  assert.match(report[0]?.fingerprint ?? "", /^[0-9a-f]{64}$/);
});

test("without git a path is relative to the folder that was asked about", (t) => {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "task-phase-plain-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const lines = annotate("github", [errorFinding("TP_A", "x", { file: path.join(folder, "T-1", "STATE.md") })], folder);
  assert.deepEqual(lines, ["::error file=T-1/STATE.md,title=TP_A::x"]);
});
