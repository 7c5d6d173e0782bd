import { isInnerTest, parseSource } from "../wrong/grammars.ts";
import { ofRust } from "../wrong/tested-names.ts";
import { changedFiles } from "./changed-files.ts";
import type { MatrixRequest } from "./matrix-runs.ts";

/** Sources of Rust whose inner tests changed, by repo path, put together from both times. */
export interface InnerTests {
  /** The present work with the tests of pass 1. */
  readonly old: ReadonlyMap<string, string>;
  /** The work of pass 1 with the present tests. */
  readonly without: ReadonlyMap<string, string>;
  /** New sources that have tests: without the work these are not there. */
  readonly added: readonly string[];
}

/** The tests that are in changed sources, as on the side of the checks. */
export async function findInnerTests(request: MatrixRequest): Promise<InnerTests> {
  const { repo, blobs, origin } = request.ground;
  const { changedChecks, fingerprint } = request;
  const isWork = (path: string) => path.endsWith(".rs") && !changedChecks.includes(path);
  const files = origin === null ? [] : changedFiles({ repo, blobs, origin, fingerprint }, isWork);
  const [old, without] = [new Map<string, string>(), new Map<string, string>()];
  for (const { path, text, before } of files) {
    if (before === null || !`${text}${before}`.includes(ofRust)) continue;
    const [now, then] = [await splitTests(path, text), await splitTests(path, before)];
    if (now.tests === then.tests) continue;
    old.set(path, now.work + then.tests);
    without.set(path, then.work + now.tests);
  }
  const added = files.filter(({ text, before }) => before === null && text.includes(ofRust));
  return { old, without, added: added.map(({ path }) => path) };
}

async function splitTests(path: string, text: string): Promise<{ readonly work: string; readonly tests: string }> {
  const parsed = await parseSource(path, text);
  let [work, tests, end] = ["", "", 0];
  for (let node = parsed?.top.firstChild ?? null; node !== null; node = node.nextSibling) {
    if (parsed === null || !isInnerTest(parsed, node)) continue;
    work += text.slice(end, node.from);
    tests += `\n${text.slice(node.from, node.to)}\n`;
    end = node.to;
  }
  return { work: work + text.slice(end), tests };
}
