import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after } from "node:test";

const isWriting = process.env.TASK_PHASE_WRITE_TEXTS === "1";
/** With one of these some tests are left out, and their texts are not obsolete. */
const isPart = process.execArgv.some((word) => /^--test-(?:name-pattern|skip-pattern|only)/.test(word));

/**
 * What people read, kept beside the tests as `test/ROOM/texts/FILE.txt`: a section `=== name` for each text. The returned
 * function compares one text with its section. `TASK_PHASE_WRITE_TEXTS=1` writes all of them anew, so that a change of wording
 * is a diff to read. `name` is `ROOM/FILE`.
 */
export function openTexts(name: string): (section: string, found: string | readonly string[]) => void {
  const file = path.join(findTests(), path.dirname(name), "texts", `${path.basename(name)}.txt`);
  const kept = readSections(file);
  const seen = new Map<string, string>();
  after(() => {
    if (isPart) return;
    if (isWriting) writeSections(file, kept, seen);
    else assert.deepEqual([...kept.keys()].sort(), [...seen.keys()].sort(), `the texts of ${file}`);
  });
  return (section, found) => {
    const text = typeof found === "string" ? found : found.join("\n");
    assert(!seen.has(section), `two texts are named ${section}`);
    assert(!/^=== /m.test(`${section}\n${text}`), "no text may begin a section");
    seen.set(section, text);
    if (!isWriting) assert.equal(text, kept.get(section), `${section} of ${file}`);
  };
}

/** Texts are not compiled, so they are searched upward. */
function findTests(): string {
  for (let folder = import.meta.dirname; folder !== path.dirname(folder); folder = path.dirname(folder))
    if (existsSync(path.join(folder, "test", "texts.ts"))) return path.join(folder, "test");
  throw new Error("there is no folder of tests");
}

function readSections(file: string): Map<string, string> {
  if (!existsSync(file)) return new Map();
  const [, ...parts] = `\n${readFileSync(file, "utf8")}`.split("\n=== ");
  return new Map(
    parts.map((part) => {
      const end = part.indexOf("\n");
      return [part.slice(0, end), part.slice(end + 1).replace(/\n+$/, "")] as const;
    }),
  );
}

/** Those that are known stay in their order, so that a diff shows what changed alone. */
function writeSections(file: string, kept: ReadonlyMap<string, string>, seen: ReadonlyMap<string, string>): void {
  const names = new Set([...[...kept.keys()].filter((name) => seen.has(name)), ...seen.keys()]);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, [...names].map((name) => `=== ${name}\n${seen.get(name)}\n`).join("\n"));
}
