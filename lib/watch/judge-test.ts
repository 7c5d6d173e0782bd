import { sha256 } from "../text/sha256.ts";
import type { FoundChange } from "./compare.ts";
import { matchStatements, nameStatements } from "./match-statements.ts";
import type { WatchedTest, WatchInput } from "./record.ts";
import type { Statement } from "./statements.ts";
import { readTest, type TestProfile } from "./test-profile.ts";

const emptyFile = sha256("");

/** A test file whose digest moved: skipped before weakened before changed; the detail names all that hold. */
export function judgeTest(
  test: WatchedTest,
  entry: string,
  { repo, redact }: Pick<WatchInput, "repo" | "redact">,
): FoundChange[] {
  const base = { name: test.name, kind: "test" as const, digest: sha256(entry) };
  const weakened = (detail: string): FoundChange[] => [{ ...base, change: "weakened", detail }];
  const [type = "", , content] = entry.split(" ");
  if (type !== "file") return weakened(`it is ${typeWords[type] ?? "not readable"} now`);
  if (content === emptyFile) return weakened("it is empty now");
  if (test.profile === null) return [{ ...base, change: "changed", detail: "" }];
  const read = readTest(repo, test.name);
  if (read.kind !== "read") return weakened(`it is ${read.kind === "unreadable" ? read.problem : "no test file"} now`);

  const marks = freshSkips(test.profile, read.profile);
  const skipped = tellSkips(marks, redact);
  const most = Math.max(1, mostNamed - marks.length);
  const lost = [...tellTests(test.profile, read.profile), ...tellAssertions(test.profile, read.profile, most, redact)];
  const detail = [...skipped, ...lost].join("; ");
  if (skipped.length > 0) return [{ ...base, change: "skipped", detail }];
  if (lost.length > 0) return weakened(detail);
  return test.inline ? [] : [{ ...base, change: "changed", detail: tellMore(test.profile, read.profile) }];
}

const typeWords: Readonly<Record<string, string>> = {
  link: "a link",
  folder: "a folder",
  special: "a pipe or a device",
};

type Redact = WatchInput["redact"];
type Kept = NonNullable<WatchedTest["profile"]>;

/** How many statements are named in one detail. */
const mostNamed = 3;

function freshSkips(was: Kept, now: TestProfile): Statement[] {
  const known = new Set(was.asserts);
  const fresh = without(now.skips, was.skips).filter(({ guards }) => guards === undefined || known.has(guards));
  // One return may stand before several assertions.
  return [...new Map(fresh.map((mark) => [mark.line, mark])).values()].sort((left, right) => left.at - right.at);
}

function tellSkips(fresh: readonly Statement[], redact: Redact): string[] {
  if (fresh.length === 0) return [];
  const only = fresh.some(({ text }) => /\bonly\b|\bf(?:it|describe|context)\b/.test(text))
    ? " (it leaves out all others)"
    : "";
  const what = fresh.length === 1 ? "a skip mark is" : `${fresh.length} skip marks are`;
  return [`${what} new, ${nameStatements(fresh, mostNamed, redact)}${only}`];
}

function tellTests(was: Kept, now: TestProfile): string[] {
  return now.tests < was.tests ? [`${now.tests} of ${was.tests} tests are left`] : [];
}

function tellAssertions(was: Kept, now: TestProfile, most: number, redact: Redact): string[] {
  const { lost, fresh, replacing, gaps } = matchStatements(was.asserts, now.asserts);
  if (lost === 0) return [];
  const told = [`${lost} of ${was.asserts.length} assertions of pass 1 ${lost === 1 ? "is" : "are"} gone`];
  const news = replacing.length > 0 ? replacing : fresh;
  const room = news.length > 0 && gaps.length > 0 ? 80 : 160;
  if (news.length > 0) told.push(`new ${news.length === 1 ? "is" : "are"} ${nameStatements(news, most, redact, room)}`);
  // Where nothing took its place: say after which one it stood.
  const left = Math.max(1, most - news.length);
  const side = gaps.every((gap) => gap.side === "before") ? "before" : "after";
  const beside = gaps.filter((gap) => gap.side === side).map(({ statement }) => statement);
  const start = gaps.length > beside.length ? ", and at the start" : "";
  if (beside.length > 0) {
    told.push(`${news.length > 0 ? "one gone " : ""}${side} ${nameStatements(beside, left, redact, room)}${start}`);
  }
  return [told.join(", ")];
}

function tellMore(was: Kept, now: TestProfile): string {
  const [tests, asserts] = [now.tests - was.tests, now.asserts.length - was.asserts.length];
  if (tests === 0 && asserts === 0) return "the same tests and assertions stand in the text";
  return `${tests} more tests and ${asserts} more assertions, none gone`;
}

/** Those whose hash is left over when each of the others took one away. */
function without<T extends { readonly hash: string }>(statements: readonly T[], others: readonly string[]): T[] {
  const left = new Map<string, number>();
  for (const hash of others) left.set(hash, (left.get(hash) ?? 0) + 1);
  return statements.filter(({ hash }) => {
    const count = left.get(hash) ?? 0;
    left.set(hash, count - 1);
    return count <= 0;
  });
}
