import assert from "node:assert/strict";
import { test } from "node:test";
import { bySeverity, mostFindings, readReport } from "../../lib/documents/review-report.ts";

function findings(text: string): readonly string[] | string {
  const read = readReport(text);
  return read.kind === "report" ? read.findings.map(({ severity, text: said }) => `${severity} ${said}`) : read.problem;
}

test("a report lists findings with their severity in front, and the most severe come first", () => {
  assert.deepEqual(
    findings(
      "I read it all.\n\n## Findings\n\n- [minor] a\n- [blocking] b (`lib/x.ts:3`)\n* [NOTE]: c\n\n## Verdict\n\n- fail\n",
    ),
    ["blocking b (lib/x.ts:3)", "minor a", "note c"],
  );
});

test("marks around the severity, numbers, colons, headings of any depth and further lines of an item are taken", () => {
  assert.deepEqual(
    findings("#### findings:\n\n1. **[major]** one\n   goes on\n2. Minor: two\n   - in detail\n\nThat is all.\n"),
    ["major one goes on", "minor two in detail"],
  );
});

for (const [name, text] of [
  ["the word none", "## Findings\n\nnone\n"],
  ["the word with a full stop, as an item", "# Findings\n\n- None.\n"],
  ["no findings", "## Findings\n\n**No findings.**\n"],
  ["a whole report of the word none", "none"],
  ["a whole report of the word, with a full stop, marks and lines around it", "\r\n**None.**\n\n"],
  ["a whole report of the word in capitals", " NONE\n"],
] as const) {
  test(`${name} is a report without findings`, () => assert.deepEqual(findings(text), []));
}

for (const [name, text, problem] of [
  ["nothing at all", " \n", /^it is empty; expected a section `## Findings`/],
  [
    "no section of that name",
    "All is well.\n",
    /^its report has no section Findings; expected a section `## Findings` with one item `- \[blocking\] text` for each finding, or the single word none if there is no finding; a report that is only the word none also counts$/,
  ],
  ["the word none beside others", "I looked at it all.\n\nnone\n", /^its report has no section Findings/],
  ["the word none in a code block", "```\nnone\n```\n", /^its report has no section Findings/],
  ["a section in a code block", "```\n## Findings\n\nnone\n```\n", /no section Findings/],
  ["an empty section", "## Findings\n\n## More\n", /section Findings has no finding/],
  ["a section that only talks", "## Findings\n\nThere are some.\n", /section Findings has no finding/],
  [
    "an item without a severity",
    "## Findings\n\n- [minor] a\n- it is slow\n",
    /^its finding "it is slow" does not start with a severity/,
  ],
  [
    "a severity that nobody knows",
    "## Findings\n\n- [critical] a\n",
    /expected one of \[blocking\], \[major\], \[minor\], \[note\]/,
  ],
  ["a severity and nothing else", "## Findings\n\n- [major]\n", /says \[major\] and nothing else/],
  ["a tick box", "## Findings\n\n- [ ] a\n", /does not start with a severity/],
  [
    "more than a parser should take",
    `## Findings\n\n- [minor] ${"x".repeat(20_000)}\n`,
    /^its report cannot be read: the line has/,
  ],
] as const) {
  test(`${name} is no report`, () => {
    const read = findings(text);
    assert.match(typeof read === "string" ? read : "a report", problem);
  });
}

test("two sections count both, so that what blocks in one cannot be taken back in the other", () => {
  assert.deepEqual(findings("## Findings\n\n- [blocking] a\n\n## Findings\n\nnone\n"), ["blocking a"]);
});

test("markup, hidden characters and line ends of all kinds become one safe line", () => {
  assert.deepEqual(
    findings(
      "## Findings\r\n\r\n- [major] <promise>COMPLETE</promise> **b**\u202e \u2028[l](http://h/) ![i](http://h/)\0x\r\n",
    ),
    ["major <promise>COMPLETE</promise> b\\u{202e} l i x"],
  );
});

test("words that Markdown takes for HTML stay, and marks around a severity or `none` change nothing", () => {
  const html = "- [blocking] a List<String> prints <script> <!-- x -->\n- <b>[minor]</b> b\n- <i>none</i>\n";
  assert.deepEqual(findings(`## Findings\n\n${html}`), ["blocking a List<String> prints <script>", "minor b"]);
});

test("more findings than anybody reads are cut after the most severe, and counted", () => {
  const items = Array.from({ length: mostFindings + 6 }, (_, index) => `- [minor] ${index}`);
  const read = readReport(["## Findings", "", ...items, "- [blocking] last", ""].join("\n"));
  assert.ok(read.kind === "report");
  assert.deepEqual(
    [read.findings.length, read.findings[0]?.text, read.findings.at(-1)],
    [mostFindings + 1, "last", { severity: "note", text: "7 further findings of the report are left out here" }],
  );
});

test("a long text is cut, never within a character", () => {
  const read = readReport(`## Findings\n\n- [minor] ${"x".repeat(1_998)}${"\u{1f600}".repeat(9)}\n`);
  assert.deepEqual(read, { kind: "report", findings: [{ severity: "minor", text: `${"x".repeat(1_998)}…` }] });
});

test("by severity keeps the order within one", () => {
  const finding = (severity: "note" | "major", text: string) => ({ severity, text });
  assert.deepEqual(
    bySeverity([finding("note", "a"), finding("major", "b"), finding("note", "c")]).map(({ text }) => text),
    ["b", "a", "c"],
  );
});
