import type { Base } from "../case.ts";

const report = `#!/bin/sh
# Sums of a table of "name amount" lines, by name.
sort "$1"
`;

export const rightReport = `#!/bin/sh
# Sums of a table of "name amount" lines, by name.
awk 'NF == 2 { sum[$1] += $2 } END { for (name in sum) print name, sum[name] }' "$1" | sort
`;

const runTests = `#!/bin/sh
# Each input of test/ has a golden file: what the report prints for it.
failed=0
for input in test/*.in; do
  golden="\${input%.in}.golden"
  if sh bin/report.sh "$input" | diff -u "$golden" - ; then echo "ok $input"; else echo "not ok $input"; failed=1; fi
done
exit $failed
`;

const oracle = `set -e
printf 'x 5\\ny 1\\nx 7\\n\\ny 2\\nz 0\\n' > truth.in
printf 'x 12\\ny 3\\nz 0\\n' > truth.txt
sh bin/report.sh truth.in | cmp - truth.txt
echo "oracle: right"
`;

/** Golden files, compared by a script that a Makefile calls. */
export const make: Base = {
  needs: ["make"],
  title: "Sum the report by name",
  brief: "`bin/report.sh FILE` prints one line a name with the sum of its amounts, sorted by name.",
  files: {
    Makefile: ".PHONY: test\ntest:\n\tsh test/run.sh\n",
    ".gitignore": "/out/\n",
    "bin/report.sh": report,
    "test/run.sh": runTests,
    "test/one.in": "b 2\na 1\n",
    "test/one.golden": "a 1\nb 2\n",
    "test/sums.in": "b 2\na 1\nb 3\n",
    "test/sums.golden": "a 1\nb 5\n",
  },
  validators: { tests: ["make", "test"] },
  right: { write: { "bin/report.sh": rightReport } },
  oracle: { files: { "truth-oracle.sh": oracle }, command: ["sh", "truth-oracle.sh"] },
};

const docsCheck = `#!/bin/sh
# Every command of commands.txt has a heading of its own in README.md, with an example under it.
status=0
while read -r name; do
  grep -q "^## $name$" README.md && grep -q "^    tool $name" README.md || { echo "README.md lacks $name"; status=1; }
done < commands.txt
exit $status
`;

const docsOracle = `set -e
for name in list add remove; do
  grep -q "^## $name$" README.md
  grep -q "^    tool $name" README.md
  grep -q "^$name$" commands.txt
done
echo "oracle: right"
`;

export const rightDocs = `# tool

## list

Prints all entries.

    tool list

## add

Adds an entry.

    tool add NAME

## remove

Takes an entry away.

    tool remove NAME
`;

/** A README that a script checks. */
export const docs: Base = {
  needs: [],
  title: "Document every command",
  brief: "README.md has a heading and an example for each command of commands.txt.",
  files: {
    "README.md": "# tool\n\n## list\n\nPrints all entries.\n\n    tool list\n",
    "commands.txt": "list\nadd\nremove\n",
    "scripts/check-docs.sh": docsCheck,
  },
  validators: { docs: ["sh", "scripts/check-docs.sh"] },
  right: { write: { "README.md": rightDocs } },
  oracle: { files: { "truth-oracle.sh": docsOracle }, command: ["sh", "truth-oracle.sh"] },
};
