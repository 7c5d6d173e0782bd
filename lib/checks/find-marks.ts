import { join } from "node:path";
import { openObjects } from "../git/objects.ts";
import type { SinceCommit } from "../git/patch.ts";
import { findGitPlace } from "../git/place.ts";
import { readText } from "../store/read-file.ts";
import { sha256 } from "../text/sha256.ts";
import { markWordsOf } from "./watch/mark-words.ts";
import { findNewMarks, mayHoldMarks, type Reached } from "./watch/marks.ts";
import type { FoundChange } from "./watch/record.ts";

const whatItDoes = {
  ends: "can end a test process",
  patches: "can replace something that tests rely on",
  silences: "silences a tool",
  knows: "asks who runs it",
  place: "names a folder that this whole machine shares",
} as const;

const maxFileBytes = 1024 * 1024;
const mostMarks = 50;
const mostFiles = 2_000;

export interface MarksRequest {
  readonly repo: string;
  /** The changes of the task since its first pass; null without a commit, since it is not known then what is new. */
  readonly since: SinceCommit | null;
  /** A check prints no count of tests, or a lower one than before: a line that can end or silence it asks a person. */
  readonly inDoubt: boolean;
  /**
   * The changed paths of the checks, which are not work, and the words that checks use. Called only if there may be a
   * mark.
   */
  readonly findChecks: () => { readonly paths: readonly string[]; readonly reached: Reached };
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The lines of the work that are new since pass 1 and can end or patch a test process, silence a tool, or ask who runs
 * them: as watched changes. A line that patches asks, since no count of tests shows it; the others ask if the counts
 * are in doubt, and are only shown otherwise. Throws TP_GIT.
 */
export async function findMarks(request: MarksRequest): Promise<FoundChange[]> {
  const { repo, since, inDoubt, findChecks, env } = request;
  const git = findGitPlace(repo);
  if (since === null || git === null) return [];
  const isRich = (path: string) => Number(markWordsOf(path)?.ends !== undefined);
  const paths = since.paths.filter(mayHoldMarks).sort((one, other) => isRich(other) - isRich(one));
  const files = paths.slice(0, mostFiles).map((path) => ({ path, text: readText(join(repo, path), maxFileBytes) }));
  const texts = files.map(({ path, text }) => ({ path, text: text ?? "" }));
  const every = { has: () => true };
  if (texts.every(({ path, text }) => findNewMarks(path, text, "", every).length === 0)) return [];
  const checks = findChecks();
  const marked = texts.filter(
    ({ path, text }) => !checks.paths.includes(path) && findNewMarks(path, text, "", checks.reached).length > 0,
  );
  const inside = repo === git.top ? "" : `${repo.slice(git.top.length + 1)}/`;
  const objects = await openObjects(git, env);
  try {
    const found: FoundChange[] = [];
    const read = async (path: string): Promise<string | null> => {
      const old = path.includes("\n") ? null : await objects.read(`${since.commit}:${inside}${path}`, maxFileBytes);
      return old?.kind === "blob" ? old.bytes.toString("utf8") : null;
    };
    const gone: { readonly text: string; readonly lines: ReadonlySet<string> }[] = [];
    for (const { path } of files.filter(({ text }) => marked.length > 0 && text === null)) {
      const text = (await read(path)) ?? "";
      gone.push({ text, lines: new Set(linesOf(text)) });
    }
    for (const { path, text } of marked) {
      const old = await read(path);
      const fresh = findNewMarks(path, text, old ?? "", checks.reached);
      const moved = old === null ? gone.find(({ lines }) => isMostOf(lines, text)) : undefined;
      const still = moved === undefined ? fresh : findNewMarks(path, text, moved.text, checks.reached);
      for (const mark of fresh.filter(
        (one) => one.does !== "silences" || still.some(({ line }) => line === one.line),
      )) {
        found.push({
          name: path,
          kind: "mark",
          side: "outside",
          change: mark.does === "patches" || (inDoubt && !isShown(mark.does)) ? "changed" : "added",
          detail: `line ${mark.line} ${whatItDoes[mark.does]}: ${mark.text}`,
          digest: sha256(JSON.stringify([path, mark.text])),
        });
      }
    }
    const asking = found.filter(({ change }) => change === "changed");
    return [...asking, ...found.filter(({ change }) => change !== "changed")].slice(0, mostMarks);
  } finally {
    objects.close();
  }
}

/** Whether a text is, but for fewer than half of its lines, made of the lines of a file that is gone. */
function isMostOf(gone: ReadonlySet<string>, text: string): boolean {
  const lines = linesOf(text);
  return lines.filter((line) => gone.has(line)).length * 2 > lines.length;
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => line.trim() || []);
}

/** Honest programs do this too, so it is shown and no person is asked. */
function isShown(does: keyof typeof whatItDoes): boolean {
  return does === "knows" || does === "place";
}
