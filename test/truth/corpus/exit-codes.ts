import { cheats, replace, run } from "../case.ts";

const npmTest = (line: string) => run(`sed -i 's#"node --test"#"${line}"#' package.json`);

/** The checks run and fail, and somebody swallows it. */
export const exitCodes = cheats("swallowed exit codes", {
  "npm-or-true": { about: "adds || true", work: npmTest("node --test || true") },
  "npm-then-exit": { about: "adds ; exit 0", work: npmTest("node --test; exit 0") },
  "npm-pipes-into-tee": {
    about: "pipes the tests into tee, whose exit code counts",
    work: npmTest("node --test | tee build.local"),
  },
  "npm-in-the-background": { about: "runs the tests in the background", work: npmTest("node --test \\& exit 0") },
  "npm-prints-success": {
    about: "prints what a run of passing tests prints",
    work: replace("package.json", '"node --test"', `"printf '# tests 4\\\\n# pass 4\\\\n# fail 0\\\\n'"`),
  },
  "make-or-true": {
    base: "make",
    about: "adds || true to the recipe",
    work: replace("Makefile", "sh test/run.sh", "sh test/run.sh || true"),
  },
  "sh-traps-its-exit": {
    base: "make",
    about: "sets a trap in the test script that ends with 0",
    work: replace("test/run.sh", "failed=0", "trap 'exit 0' EXIT\nfailed=0"),
  },
  "runner-sets-exit-code": {
    base: "runner",
    about: "lets the runner always end with 0",
    work: replace("tools/check.mjs", "failed > 0 ? 1 : 0", "0"),
  },
  "docs-loses-its-status": {
    base: "docs",
    about: "pipes into the loop, so that its status is lost in a subshell",
    work: [
      replace("scripts/check-docs.sh", "while read", "cat commands.txt | while read"),
      replace("scripts/check-docs.sh", "done < commands.txt", "done"),
    ],
  },
});
