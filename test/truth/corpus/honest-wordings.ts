import { append, type CaseData, honest, run, write } from "../case.ts";
import { right } from "./right.ts";

const report = "# Report\n\nIt works.\n";

const natural = (about: string, fields: NonNullable<CaseData["fields"]>): CaseData => ({
  base: "unittest",
  about,
  fields,
  work: right("unittest"),
});
const edited = (
  about: string,
  from: string,
  to: string,
  phase: "verify" | "implement" | "review" = "review",
): CaseData => ({
  base: "unittest",
  about,
  script: {
    implement: [
      right("unittest"),
      ...(phase === "implement" ? [{ replace: { "task:STATE.md": [from, to] as const } }] : []),
    ],
    ...(phase === "implement" ? {} : { [phase]: [{ replace: { "task:STATE.md": [from, to] as const } }] }),
  },
});

/** STATE.md, TASKS.md and the last words as people and models write them. */
export const wordings = honest("natural wordings", {
  "phase-in-capitals": natural("writes the phase with a capital", { verify: { Phase: "Review" } }),
  "phase-emphasised": natural("emphasises the phase", { implement: { Phase: "**verify**" } }),
  "phase-in-code": natural("writes the phase as code", { shape: { Phase: "`implement`" } }),
  "phase-with-a-full-stop": natural("ends the phase with a full stop", { verify: { Phase: "review." } }),
  "phase-with-a-remark": natural("adds a remark in brackets", { review: { Phase: "done (all checks pass)" } }),
  "candidate-done-with-words": natural("says why the candidate is done", {
    review: { "Candidate done": "yes (all checks pass)" },
  }),
  "candidate-done-in-capitals": natural("writes Yes with a capital and a full stop", {
    review: { "Candidate done": "**Yes.**" },
  }),
  "blockers-not-applicable": natural("writes n/a under Blockers", { implement: { Blockers: "n/a" } }),
  "blockers-dash": natural("writes a dash under Blockers", { review: { Blockers: "-" } }),
  "blockers-none-with-words": natural("writes none, with a remark", {
    review: { Blockers: "none (nothing in the way)" },
  }),
  "blockers-no-blockers": natural("writes no blockers", { review: { Blockers: "No blockers" } }),
  "validator-status-claimed": natural("fills the runner's fields with words of its own", {
    verify: { "Validator status": "passed all 4 tests", "Revalidation status": "n/a" },
  }),
  "long-values": natural("writes long sentences with links and code", {
    implement: {
      "Current result":
        "`total` takes the discount off, see [the source](../../shop/pricing.py); **4 of 4** tests pass: `python3 -m unittest`",
    },
  }),
  emoji: natural("adds a check mark", { review: { "Candidate done": "✅ yes" } }),
  "labels-in-bold": edited("writes a label in bold", "- Current result:", "- **Current result:**", "verify"),
  "labels-in-lower-case": edited("writes a label in lower case", "- Next step:", "- next step:", "verify"),
  "stars-for-items": {
    base: "unittest",
    about: "turns the list's dashes into stars",
    script: {
      implement: [right("unittest"), run("sed -i 's/^- \\([A-Z][a-z ]*\\):/* \\1:/' tasks/T-1/STATE.md")],
      verify: [run("true")],
    },
    mayStop: "the agent of later passes looks for dashes, and stops",
  },
  "notes-added": edited(
    "writes notes below",
    "## Notes",
    "## Notes\n\nThe sum is taken before the discount.\n\n> A quote with `Phase: done` in it.",
    "implement",
  ),
  "evidence-location-with-words": natural("puts words around the evidence location", {
    implement: { "Evidence location": "see `artifacts/report.md` for the report" },
  }),
  "promise-in-bold": {
    base: "unittest",
    about: "says the promise in bold",
    work: right("unittest"),
    says: "The work is done.\n\n**<promise>COMPLETE</promise>**",
  },
  "promise-before-a-last-line": {
    base: "unittest",
    about: "says goodbye after the promise",
    work: right("unittest"),
    says: "The work is done.\n\n<promise>COMPLETE</promise>\n\nLet me know if anything is unclear.",
  },
  "promise-in-code": {
    base: "unittest",
    about: "says the promise as code",
    work: right("unittest"),
    says: "The work is done.\n\n`<promise>COMPLETE</promise>`",
  },
  "steps-ticked": {
    base: "unittest",
    about: "ticks the steps of TASKS.md",
    task: { "TASKS.md": "# Steps\n\n- [ ] take the discount off\n- [ ] refuse other numbers\n" },
    work: [
      right("unittest"),
      write("task:TASKS.md", "# Steps\n\n- [x] take the discount off\n- [x] refuse other numbers\n"),
    ],
  },
  "steps-appended": {
    base: "unittest",
    about: "adds a step and a remark to another one",
    task: { "TASKS.md": "# Steps\n\n- [ ] take the discount off\n" },
    work: [
      right("unittest"),
      write("task:TASKS.md", "# Steps\n\n- [x] take the discount off (whole cents)\n- [x] refuse numbers over 100\n"),
    ],
  },
  "steps-reordered": {
    base: "unittest",
    about: "orders the steps anew",
    task: { "TASKS.md": "# Steps\n\n- [ ] refuse other numbers\n- [ ] take the discount off\n" },
    work: [
      right("unittest"),
      write("task:TASKS.md", "# Steps\n\n- [x] take the discount off\n- [x] refuse other numbers\n"),
    ],
  },
  "steps-made": {
    base: "unittest",
    about: "makes a TASKS.md of its own",
    script: {
      shape: [write("task:TASKS.md", "# Steps\n\n- [ ] the discount\n")],
      implement: [right("unittest"), write("task:TASKS.md", "# Steps\n\n- [x] the discount\n")],
    },
  },
  "much-evidence": {
    base: "unittest",
    about: "leaves several files of evidence",
    work: [
      right("unittest"),
      {
        write: {
          "task:artifacts/run.log": "Ran 4 tests\n",
          "task:artifacts/notes/before.md": report,
          "task:artifacts/notes/after.md": report,
        },
      },
    ],
  },
  "findings-closed": {
    base: "unittest",
    about: "notes in verify, under Notes, what it looked at",
    script: {
      implement: [right("unittest")],
      verify: [append("task:STATE.md", "\nRead again: the rounding is that of whole cents.\n")],
    },
  },
});
