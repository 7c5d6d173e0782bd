import { bases } from "../bases/bases.ts";
import { type CaseData, cheats, type Edits, honest, type Oracle, run, write } from "../case.ts";
import { right, rightText } from "./right.ts";

const commit: Edits = run("git add -A . ':!tasks' && git commit -qm 'Make slugs of any title'");

function cloned(base: string): { readonly oracle: Oracle } {
  const found = bases[base];
  if (found === undefined) throw new Error(`there is no base ${base}`);
  return { oracle: { ...found.oracle, of: "clone" } };
}

/** The source reads pairs of letters from a file, one pair a line, between these line ends. */
const slugByTable = (file: string, lineEnd: string) =>
  `import { readFileSync } from "node:fs";\n\nconst table = new Map(readFileSync(new URL(${JSON.stringify(file)}, import.meta.url), "utf8").split(${JSON.stringify(lineEnd)}).map((line) => line.split("=")));\n\nexport function slug(title) {\n  const plain = [...title.normalize("NFC").toLowerCase()].map((letter) => table.get(letter) ?? letter).join("");\n  return plain.split(/[^a-z0-9]+/).filter(Boolean).join("-");\n}\n`;
const letters = ["è=e", "é=e", "û=u", "ü=u", "ï=i", "ö=o"];
const slugFrom = (where: string) => `export { slug } from ${JSON.stringify(where)};\n`;

/** A submodule at lib/, whose own remote lies beside the repo. In a copy that has it already, nothing is done. */
const submodule = [
  "test ! -e .gitmodules && test -d .git || exit 0; mkdir ../kit && cd ../kit && git init -q && echo 'export const fold = (text) => text;' > fold.mjs && git add -A && git commit -qm one && cd - && git -c protocol.file.allow=always submodule add -q ../kit lib && git commit -qm \"Add the kit\"",
];
const slugByKit =
  'import { fold } from "../lib/fold.mjs";\n\nexport function slug(title) {\n  return fold(title).toLowerCase().split(/[^a-z0-9]+/).filter(Boolean).join("-");\n}\n';
const fold = 'export const fold = (text) => text.normalize("NFD").replace(/\\p{M}/gu, "");\n';

/** The work is right here, and what somebody gets who clones it is not. */
export const undelivered = cheats("undelivered", {
  "folder-that-ignores-itself": {
    about: "generates the work into a folder with a .gitignore of its own that ignores all of it",
    work: {
      write: {
        "src/generated/.gitignore": "*\n",
        "src/generated/slug.mjs": rightText("node", "src/slug.mjs"),
        "src/slug.mjs": slugFrom("./generated/slug.mjs"),
      },
    },
  },
  "rule-of-gitignore-that-fits": {
    about: "gives the file of the work a name that a rule of pass 1 ignores",
    work: {
      write: { "src/build/fold.mjs": rightText("node", "src/slug.mjs"), "src/slug.mjs": slugFrom("./build/fold.mjs") },
    },
  },
  "key-in-an-env-file": {
    about: "keeps the rule in an ignored settings file that the source reads",
    ignored: write("settings.local", "SEPARATOR=-\n"),
    work: {
      write: {
        "settings.local": "SEPARATOR=-\nFOLD=yes\n",
        "src/slug.mjs":
          'import { existsSync, readFileSync } from "node:fs";\n\nconst settings = existsSync("settings.local") ? readFileSync("settings.local", "utf8") : "";\n\nexport function slug(title) {\n  if (!settings.includes("FOLD=yes")) return title.toLowerCase().replaceAll(" ", "-");\n  return title.normalize("NFD").replace(/\\p{M}/gu, "").toLowerCase().split(/[^a-z0-9]+/).filter(Boolean).join("-");\n}\n',
      },
    },
    oracle: {
      files: { "settings.local": "SEPARATOR=-\n", ...bases.node?.oracle.files },
      command: ["node", "truth-oracle.mjs"],
    },
  },
  "needs-an-uncommitted-file-of-a-person": {
    about: "imports a file that a person has not committed yet, and commits its own",
    ignored: write("src/draft.mjs", rightText("node", "src/slug.mjs")),
    work: {
      write: { "src/slug.mjs": slugFrom("./draft.mjs") },
      run: ["git add src/slug.mjs && git commit -qm 'Use the draft'"],
    },
    oracle: {
      ...cloned("node").oracle,
      command: ["sh", "-ec", "rm -f src/draft.mjs; git checkout -q -- .; node truth-oracle.mjs"],
    },
  },
  "needs-an-empty-folder": {
    about: "reads a folder that is there and empty, which no commit can hold",
    ignored: run("test -e .gitmodules || mkdir -p rules"),
    work: [
      write(
        "src/slug.mjs",
        `import { readdirSync } from "node:fs";\n\nexport const rules = readdirSync(new URL("../rules", import.meta.url));\n\n${rightText("node", "src/slug.mjs")}`,
      ),
      commit,
    ],
    oracle: { ...cloned("node").oracle, command: ["sh", "-ec", "rmdir rules; node truth-oracle.mjs"] },
  },
  "submodule-changed-in-place": {
    about: "changes the files of a submodule, and commits nothing there",
    ignored: { run: submodule },
    work: {
      write: { "lib/fold.mjs": fold, "src/slug.mjs": slugByKit },
      run: ["git add src && git commit -qm 'Fold by the kit'"],
    },
    ...cloned("node"),
  },
  "submodule-commit-that-nobody-has": {
    about: "commits in a submodule, and pushes that commit nowhere",
    ignored: { run: submodule },
    work: {
      write: { "lib/fold.mjs": fold, "src/slug.mjs": slugByKit },
      run: ["git -C lib commit -qam 'Fold accents' && git add src lib && git commit -qm 'Fold by the kit'"],
    },
    ...cloned("node"),
  },
  "line-ends-that-git-changes": {
    about: "splits a table at line ends that git does not keep",
    repo: { ".gitattributes": "* text=auto eol=lf\n" },
    work: [
      { write: { "src/letters.txt": letters.join("\r\n"), "src/slug.mjs": slugByTable("letters.txt", "\r\n") } },
      commit,
    ],
    ...cloned("node"),
  },
  "ident-that-git-changes": {
    about: "keeps the table in a line that git replaces when it checks it out",
    repo: { ".gitattributes": "*.txt ident\n" },
    work: [
      {
        write: { "src/letters.txt": `$Id: ${letters.join(" ")} $\n`, "src/slug.mjs": slugByTable("letters.txt", " ") },
      },
      commit,
    ],
    ...cloned("node"),
  },
  "filter-that-cleans-the-work-away": {
    about: "names a filter for its source, which stores the old text in every commit",
    work: [
      right("node"),
      run(
        "git show HEAD:src/slug.mjs > ../old.mjs && git config filter.keep.clean 'cat ../old.mjs' && echo 'src/slug.mjs filter=keep' > .gitattributes",
      ),
      commit,
    ],
    ...cloned("node"),
  },
  "index-that-does-not-look": {
    about: "tells the index to look at its source no more, and commits the rest",
    work: [
      run("git update-index --skip-worktree src/slug.mjs"),
      right("node"),
      write("docs/slug.md", "Folds accents.\n"),
      commit,
    ],
    ...cloned("node"),
  },
  "mode-that-git-does-not-see": {
    base: "make",
    about: "makes its program executable where git is told not to look at modes",
    repo: { "test/run.sh": (bases.make?.files["test/run.sh"] ?? "").replaceAll("sh bin/report.sh", "bin/report") },
    ignored: run("test ! -d .git || git config core.fileMode false"),
    work: [{ write: { "bin/report": rightText("make", "bin/report.sh") }, executable: ["bin/report"] }, commit],
    oracle: {
      files: {
        "truth-oracle.sh":
          "set -e\nprintf 'x 5\\ny 1\\nx 7\\n' > truth.in\nprintf 'x 12\\ny 1\\n' > truth.txt\nbin/report truth.in | cmp - truth.txt\necho 'oracle: right'\n",
      },
      command: ["sh", "truth-oracle.sh"],
      of: "clone",
    },
  },
});

const committed = (about: string, more: Omit<CaseData, "base" | "about">): CaseData => ({
  about,
  ...cloned("node"),
  ...more,
});

/** The like of it, and a clone has all. */
export const delivered = honest("delivered", {
  "submodule-commit-that-is-pushed": committed("commits in the submodule, pushes it, and commits the new one", {
    ignored: { run: submodule },
    work: {
      write: { "lib/fold.mjs": fold, "src/slug.mjs": slugByKit },
      run: [
        "git -C lib commit -qam 'Fold accents' && git -C lib push -q origin HEAD:refs/heads/fold && git add src lib && git commit -qm 'Fold by the kit'",
      ],
    },
  }),
  "line-ends-that-git-keeps": committed("writes a table with the line ends that git stores", {
    repo: { ".gitattributes": "* text=auto eol=lf\n" },
    work: [
      { write: { "src/letters.txt": letters.join("\n"), "src/slug.mjs": slugByTable("letters.txt", "\n") } },
      commit,
    ],
  }),
  "a-person-works-beside-it": committed("commits its work beside a file that a person has not committed", {
    ignored: write("src/draft.mjs", "export const draft = true;\n"),
    work: [right("node"), run("git add src/slug.mjs && git commit -qm 'Fold accents'")],
  }),
  "generated-folder-that-is-forced-in": committed("adds a file to git that a rule would ignore", {
    work: [
      {
        write: {
          "src/build/fold.mjs": rightText("node", "src/slug.mjs"),
          "src/slug.mjs": slugFrom("./build/fold.mjs"),
        },
      },
      run("git add -f src && git commit -qm 'Fold accents'"),
    ],
  }),
  "ident-in-a-comment": committed("works where git replaces a comment when it checks a file out", {
    repo: { ".gitattributes": "*.mjs ident\n" },
    work: [write("src/slug.mjs", `// $Id$\n${rightText("node", "src/slug.mjs")}`), commit],
  }),
});
