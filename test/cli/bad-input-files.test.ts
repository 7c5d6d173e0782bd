import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { openTexts } from "../texts.ts";
import { type BadInput, type Expected, everywhere, only, testTable } from "./bad-input-table.ts";
import { type BadWorld, makeSocket } from "./bad-input-world.ts";

const expectText = openTexts("cli/bad-input-files");

interface Kind {
  readonly spoil: (world: BadWorld, file: string) => void;
  /** The code and, behind a colon, line and column. */
  readonly found: string;
}

const special = {
  found: "TP_TASK_FILE",
};
const character = (text: string): Kind => ({
  spoil: (world, file) => world.put(file, spoilLine2(world.read(file), Buffer.from(text))),
  found: "TP_TEXT_CHARACTER:2:2",
});

const kinds: Readonly<Record<string, Kind>> = {
  "a folder": {
    spoil: (world, file) => void mkdirSync(world.clear(file)),
    found: "TP_TASK_FILE",
  },
  "a FIFO": { ...special, spoil: (world, file) => void execFileSync("mkfifo", [world.clear(file)]) },
  "a socket": { ...special, spoil: (world, file) => makeSocket(world.clear(file)) },
  "a dangling link": {
    spoil: (world, file) => symlinkSync(path.join(world.folder, "nowhere"), world.clear(file)),
    found: "TP_TASK_FILE",
  },
  "5 MB of nested quotes": {
    spoil: (world, file) => world.put(file, `${">".repeat(5 << 20)}\n`),
    found: "TP_TASK_FILE",
  },
  "60 KB of nested quotes": {
    spoil: (world, file) => world.put(file, `${">".repeat(3000)}\n`.repeat(20)),
    found: "TP_TEXT_TOO_COMPLEX:1:1",
  },
  "64 KB and one byte": {
    spoil: (world, file) => world.put(file, pad(world.read(file))),
    found: "TP_TEXT_TOO_BIG",
  },
  "invalid UTF-8": {
    spoil: (world, file) => world.put(file, spoilLine2(world.read(file), Buffer.from([0x78, 0x20, 0xc3, 0x28]))),
    found: "TP_TEXT_ENCODING:2:3",
  },
  "UTF-16": {
    spoil: (world, file) => world.put(file, Buffer.from(`\ufeff${world.read(file)}`, "utf16le")),
    found: "TP_TEXT_ENCODING:1:1",
  },
  "a NUL": character("a\0b"),
  "a lone CR": character("a\rb"),
  "U+2028": character("a\u2028b"),
};

/** A line of its own as line 2. */
function spoilLine2(text: string, line: Buffer): Buffer {
  const end = text.indexOf("\n") + 1;
  return Buffer.concat([Buffer.from(text.slice(0, end)), line, Buffer.from(`\n${text.slice(end)}`)]);
}

/** Short paragraphs, so that nothing but the size is wrong. */
function pad(text: string): string {
  const missing = 64 * 1024 + 1 - Buffer.byteLength(text);
  return text + "\nSome words are here.\n".repeat(Math.ceil(missing / 22)).slice(0, missing);
}

const place = (file: string, found: string) => found.replace(/^([^:]+)/, `65 $1 repo/tasks/T-1/${file}`);
const oddForInit = new Set(["a folder", "a FIFO", "a socket", "a dangling link"]);

function kindsOf(
  file: string,
  names: readonly string[],
  expected: (found: string, kind: string) => Expected,
): BadInput[] {
  return names.map((name): BadInput => {
    const kind = kinds[name] as Kind;
    return {
      name: `${file}: ${name}`,
      spoil: (world) => {
        if (file === "DECISIONS.md") world.put(file, "# Decisions\n\nNothing is open.\n");
        kind.spoil(world, file);
      },
      expect: expected(place(file, kind.found), name),
    };
  });
}

/** Init keeps a file whatever it holds so as a warning, and refuses what is no file. */
const inFull = kindsOf("STATE.md", Object.keys(kinds), (found, kind) =>
  everywhere(found, { init: initEnd("STATE.md", kind) }),
);
const brief = kindsOf("README.md", Object.keys(kinds), (found, kind) =>
  oddForInit.has(kind)
    ? everywhere(found, { init: initEnd("README.md", kind) })
    : { ...only(["check", "run", "evidence"], found), init: initEnd("README.md", kind) },
);
const some = ["a folder", "a FIFO", "5 MB of nested quotes", "invalid UTF-8"];
const optional = ["TASKS.md", "DECISIONS.md"].flatMap((file) =>
  kindsOf(file, some, (found) => everywhere(found, { init: null })),
);
const evidence = kindsOf("EVIDENCE.md", some, (found) => everywhere(found, { init: null }));

function initEnd(file: string, kind: string): string {
  return oddForInit.has(kind) ? `65 TP_INIT_ODD_FILE repo/tasks/T-1/${file}` : "0";
}

testTable(expectText, "a task file that is not what it must be", [...inFull, ...brief, ...optional, ...evidence]);

const stateFile = "repo/tasks/T-1/STATE.md";
const edit = (from: string | RegExp, to: string) => (world: BadWorld) =>
  world.put("STATE.md", world.read("STATE.md").replace(from, to));
const judging = ["status", "check", "dry", "run", "evidence", "resume"] as const;

testTable(expectText, "a STATE.md whose fields are wrong", [
  {
    name: "it is missing: with a tasks root the folder is no task",
    spoil: (world) => void world.clear("STATE.md"),
    expect: everywhere(`65 TP_TASK_FILE ${stateFile}`, {
      "status root": "0",
      "check root": "0",
      "dry root": "0",
      "run root": "0",
      init: null,
    }),
  },
  {
    name: "it is empty",
    spoil: (world) => world.put("STATE.md", ""),
    expect: everywhere(`65 TP_STATE_NO_FIELDS ${stateFile}:1:1`, { init: "0" }),
  },
  {
    name: "an unknown phase names the nearest one",
    spoil: edit("- Phase: intake", "- Phase: implment"),
    expect: everywhere(`65 TP_STATE_UNKNOWN_PHASE ${stateFile}:3:3`, { init: "0" }),
  },
  {
    name: "a value outside its set",
    spoil: edit("- Candidate done: no", "- Candidate done: maybe"),
    expect: only(judging, `65 TP_STATE_BAD_VALUE ${stateFile}:15:3`),
  },
  {
    name: "a doubled field",
    spoil: edit("- Status: new", "- Status: new\n- Status: old"),
    expect: only(judging, `65 TP_STATE_DOUBLED_FIELD ${stateFile}:5:3`),
  },
  {
    name: "a missing field, with another word in its place",
    spoil: edit("- Objective:", "- Objecti:"),
    expect: only(judging, `65 TP_STATE_MISSING_FIELD ${stateFile}:7:3`),
  },
  {
    name: "a second list with a phase",
    spoil: edit("## Notes\n", "## Notes\n\n- Phase: done\n"),
    expect: only(judging, `65 TP_STATE_SECOND_LIST ${stateFile}:57:3`),
  },
  {
    name: "a phase that no journal knows",
    spoil: edit("- Phase: intake", "- Phase: implement"),
    expect: everywhere(`65 TP_NO_JOURNAL ${stateFile}`, { evidence: "0", resume: "0", init: null }),
    writes: { evidence: /./, resume: /./ },
  },
  {
    name: "a README.md that is missing",
    spoil: (world) => void world.clear("README.md"),
    expect: everywhere("65 TP_TASK_FILE repo/tasks/T-1/README.md", { init: null }),
  },
  {
    name: "a README.md that is empty",
    spoil: (world) => world.put("README.md", ""),
    expect: everywhere("65 TP_BRIEF_NO_CONTRACT repo/tasks/T-1/README.md:1:1", { init: "0" }),
  },
]);

const journal = "repo/tasks/T-1/artifacts/journal.jsonl";
const editJournal = (change: (text: string) => string | Uint8Array) => (world: BadWorld) =>
  world.put("artifacts/journal.jsonl", change(world.read("artifacts/journal.jsonl")));

const journals: readonly BadInput[] = (
  [
    {
      name: "a line that was changed",
      spoil: editJournal((text) => text.replace('"type":"adopted"', '"type":"adopted" ')),
      expect: everywhere(`65 TP_JOURNAL_BROKEN ${journal}:2`, { init: null }),
    },
    {
      name: "a last line without its end",
      spoil: editJournal((text) => text.slice(0, -20)),
      expect: everywhere(`65 TP_JOURNAL_TORN ${journal}:4`, { init: null }),
    },
    {
      name: "no JSON",
      spoil: editJournal(() => "hello\n"),
      expect: only(judging, `65 TP_JOURNAL_BROKEN ${journal}:1`),
    },
    {
      name: "an event without what it must have",
      spoil: editJournal(
        () => '{"seq":1,"prev":null,"at":"2026-01-01T00:00:00Z","type":"adopted","phase":"nowhere"}\n',
      ),
      expect: only(judging, `65 TP_JOURNAL_EVENT ${journal}:1`),
    },
    {
      name: "an event of an unknown type",
      spoil: editJournal(() => '{"seq":1,"prev":null,"at":"2026-01-01T00:00:00Z","type":"__proto__"}\n'),
      expect: only(judging, `65 TP_JOURNAL_EVENT ${journal}:1`),
    },
    {
      name: "an accepted STATE.md that cannot be read",
      spoil: editJournal(
        () =>
          '{"seq":1,"prev":null,"at":"2026-01-01T00:00:00Z","type":"adopted","phase":"intake","state":"x","contract_sha256":""}\n',
      ),
      expect: only(["check", "dry", "run", "resume"], `65 TP_JOURNAL ${journal}`),
    },
    {
      name: "a folder",
      spoil: (world) => void mkdirSync(world.clear("artifacts/journal.jsonl")),
      expect: everywhere(`65 TP_JOURNAL ${journal}`, { init: null }),
    },
    {
      name: "a FIFO",
      spoil: (world) => void execFileSync("mkfifo", [world.clear("artifacts/journal.jsonl")]),
      expect: everywhere(`65 TP_JOURNAL ${journal}`, { init: null }),
    },
    {
      name: "nothing at all",
      spoil: editJournal(() => ""),
      expect: everywhere(`65 TP_JOURNAL ${journal}`, { init: null }),
    },
  ] as const satisfies readonly BadInput[]
).map((input: BadInput) => ({ ...input, adopted: true }));

testTable(expectText, "a journal that cannot be read", [
  ...journals,
  {
    name: "artifacts/ is a file",
    spoil: (world) => {
      world.clear("artifacts");
      world.put("artifacts", "");
    },
    expect: everywhere("65 TP_TASK_FILE repo/tasks/T-1/artifacts", {
      init: "65 TP_INIT_ODD_FILE repo/tasks/T-1/artifacts",
    }),
  },
  {
    name: "artifacts/ is a link to a folder elsewhere",
    spoil: (world) => {
      mkdirSync(world.path("elsewhere"));
      symlinkSync(world.path("elsewhere"), world.clear("artifacts"));
    },
    expect: everywhere("65 TP_TASK_FILE repo/tasks/T-1/artifacts", {
      init: "65 TP_INIT_ODD_FILE repo/tasks/T-1/artifacts",
    }),
  },
]);
