import { dirname } from "node:path";

/** What a power cut may take after the calls so far: bytes that were written and names that were given or taken. */
interface Disk {
  /** The calls made it. */
  has(name: string): boolean;
  /** The newest file or folder of this name is there, with its bytes, after a power cut. */
  holds(name: string): boolean;
  /** Everything below these names that was changed. */
  allDurable(...names: readonly string[]): boolean;
}

interface Rule {
  readonly says: string;
  /** The calls that it is about. */
  readonly at: RegExp;
  readonly needs: (disk: Disk) => boolean;
}

/** Files and folders that a power cut may take: each is only a hint, or is made again. */
const hints = [
  // Names processes, and none outlives a power cut.
  /^ANCHOR\/(?:runner|process)\.json$/,
  // Output as it comes. What is kept of it is copied to the folder of the pass.
  /^ANCHOR\/staging(?:\/|$)/,
  // What only saves work.
  /^TREES\/newest\.json$/,
  /^ANCHOR\/parsed\.txt$/,
  /^state\/task-phase\/seen(?:\/|$)/,
  // Clean copies and captures, which are removed and made again.
  /^ANCHOR\/(?:proof|git-tree)(?:\/|$)/,
  // A cache of the journal.
  /^TASK\/artifacts\/checkpoint\.json$/,
];
/** While the task works on, the next verdict writes the page anew; its bytes are whole all the same. */
const page = "TASK/artifacts/evidence.html";

const ledgers = ["TASK/artifacts/journal.jsonl", "TASK/STATE.md", "TASK/log.txt", "TASK/progress.txt"];
const changelogs = ["ROOT/changelog", "RUNTIME/changelog"];
const announced = (disk: Disk) => disk.holds("ANCHOR/checkpoint-MARK");

const rules: readonly Rule[] = [
  {
    says: "the record of the pass names copies that are durable",
    at: /^rename \S+ ANCHOR\/current\.json$/,
    needs: (disk) => disk.allDurable("TREES/PACK"),
  },
  {
    says: "the model is called once the record of its pass is durable",
    at: /^open ANCHOR\/staging\/stdout\.log$/,
    needs: (disk) => disk.holds("ANCHOR/current.json"),
  },
  {
    says: "the journal gets an event once the anchor holds it",
    at: /^write TASK\/artifacts\/journal\.jsonl$/,
    needs: (disk) => disk.holds("ANCHOR/commit.json") || disk.holds("ANCHOR/current.json"),
  },
  {
    says: "the runner writes of its verdict once the anchor says that it does",
    at: /(?:^mkdir|^rename \S+) PASS\/(?!prompt\.md|STATE\.before\.md)|^rename \S+ TASK\/(?:EVIDENCE\.md|SUMMARY\.md|artifacts\/evidence\.html)$/,
    needs: announced,
  },
  {
    says: "the staging is dropped once its copies are durable",
    at: /^rm ANCHOR\/staging$/,
    needs: (disk) => !announced(disk) || disk.allDurable("PASS"),
  },
  {
    says: "a verdict is accepted once its pass is durable",
    at: /^rename \S+ ANCHOR\/commit\.json$/,
    needs: (disk) =>
      !announced(disk) || (disk.allDurable("PASS", "ANCHOR/reviewed.json") && disk.holds("PASS/pass.json")),
  },
  {
    says: "done is accepted once its proof is durable",
    at: /^rename \S+ ANCHOR\/commit\.json$/,
    needs: (disk) => !disk.has("TASK/SUMMARY.md") || disk.allDurable("TASK/EVIDENCE.md", page, "TASK/SUMMARY.md"),
  },
  {
    says: "STATE.md becomes the accepted one again once the proposal is durable, or that of an event once it is accepted",
    at: /^rename \S+ TASK\/STATE\.md$/,
    needs: (disk) =>
      disk.holds("ANCHOR/commit.json") || (!announced(disk) && disk.holds("ANCHOR/staging/STATE.proposed.md")),
  },
  {
    says: "a check runs once STATE.md is the accepted one, durably",
    at: /^open ANCHOR\/staging\/validators\//,
    needs: (disk) => disk.allDurable("TASK/STATE.md"),
  },
  {
    says: "the files of an event change once the event is accepted",
    at: /^write TASK\/(?:log|progress)\.txt$|^rename \S+ (?:ROOT|RUNTIME)\/changelog\//,
    needs: (disk) => disk.holds("ANCHOR/commit.json"),
  },
  {
    says: "the truth about models is durable before its copy for people",
    at: /^rename \S+ RUNTIME\/changelog\//,
    needs: (disk) => disk.allDurable("ROOT/changelog"),
  },
  {
    says: "an event and its pass are let go once all that follows from it is durable",
    at: /^rename ANCHOR\/commit\.json |^rm ANCHOR\/(?:current\.json|checkpoint-MARK)$/,
    needs: (disk) => disk.allDurable("PASS", "TASK/EVIDENCE.md", ...ledgers, ...changelogs),
  },
];

const parentOf = (name: string): string => (name === "PASS" ? "PASSES" : dirname(name));
const isHint = (name: string): boolean => hints.some((hint) => hint.test(name));

/**
 * The problems of a pass's calls of the disk, in the form of `recordDisk`: whatever a power cut between two of them
 * could take that a promise rests on.
 */
export function findUnsafe(calls: readonly string[]): string[] {
  const bytes = new Set<string>();
  const names = new Set<string>();
  const there = new Set<string>();
  const isBelow = (name: string, above: string) => name === above || name.startsWith(`${above}/`);
  const disk: Disk = {
    has: (name) => there.has(name),
    holds: (name) => there.has(name) && !bytes.has(name) && !names.has(name),
    allDurable: (...above) => ![...bytes, ...names].some((name) => above.some((one) => isBelow(name, one))),
  };
  const problems: string[] = [];
  for (const [index, call] of calls.entries()) {
    for (const { says, at, needs } of rules)
      if (at.test(call) && !needs(disk)) problems.push(`${says}: not at call ${index}, ${call}`);
    const [kind, first = "", second = ""] = call.split(" ");
    if (kind === "write" || kind === "ftruncate") bytes.add(first);
    if (kind === "mkdir") names.add(first);
    if (kind === "fsync") {
      bytes.delete(first);
      for (const name of names) if (parentOf(name) === first) names.delete(name);
    }
    if (kind === "rename") {
      if (bytes.delete(first)) {
        if (!isHint(second)) problems.push(`a name is given to bytes that are durable: not at call ${index}, ${call}`);
        bytes.add(second);
      }
      if (there.delete(first) && !first.endsWith(".tmp")) names.add(first);
      names.add(second);
    }
    if (kind === "rm" || kind === "unlink" || kind === "rmdir") {
      for (const set of [bytes, there]) for (const name of set) if (isBelow(name, first)) set.delete(name);
      names.add(first);
    }
    if (kind === "mkdir" || kind === "rename" || kind === "write") there.add(kind === "rename" ? second : first);
  }
  const left = [...bytes, ...names].filter((name) => !isHint(name) && name !== page);
  return [...problems, ...[...new Set(left)].map((name) => `not durable at the end: ${name}`)];
}
