import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Reads a task folder once, so that `writeClones` can tell it again under other ids. Every file must be text.
 */
export function readTemplate(taskDir) {
  const files = readdirSync(taskDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: path.slice(taskDir.length + 1), text: readFileSync(path, "utf8") }))
    .sort((left, right) => rankOf(left.name) - rankOf(right.name));
  return {
    folder: basename(taskDir),
    id: /^id: (\S+)$/m.exec(readFileSync(join(taskDir, "README.md"), "utf8"))[1],
    files,
  };
}

/** The tasks T-FIRST to T-LAST beside the template's, whole and true: every digest that names a changed text is new. */
export function writeClones(template, tasksRoot, first, last) {
  for (let number = first; number <= last; number += 1) {
    const id = `T-${number}`;
    const folder = join(tasksRoot, template.folder.replace(template.id, id));
    const made = new Set();
    for (const { name, text } of retell(template.files, (words) => words.replaceAll(template.id, id))) {
      const path = join(folder, name);
      if (!made.has(dirname(path))) mkdirSync(dirname(path), { recursive: true });
      made.add(dirname(path));
      writeFileSync(path, text);
    }
  }
}

/**
 * The files with `change` made in each, and with the digests of what changed put in the place of those before, in texts
 * and in names. The journal is chained anew, line by line.
 */
export function retell(files, change) {
  const digests = new Map();
  const renew = (text) => text.replace(/\b[0-9a-f]{64}\b/g, (digest) => digests.get(digest) ?? digest);
  const tell = (text) => {
    const now = renew(change(text));
    if (now !== text) digests.set(sha256(text), sha256(now));
    return now;
  };
  return files.map(({ name, text }) => ({
    text: name.endsWith(".jsonl") ? text.split("\n").map(tell).join("\n") : tell(text),
    name: name.replace(/\b[0-9a-f]{16}(?=\.md$)/, (short) => shortOf(digests, short) ?? short),
  }));
}

function shortOf(digests, short) {
  for (const [before, now] of digests) if (before.startsWith(short)) return now.slice(0, 16);
  return null;
}

/** What others hold a digest of comes before them. */
function rankOf(name) {
  if (name.endsWith("journal.jsonl")) return 3;
  if (/(^|\/)pass\.json$/.test(name)) return 1;
  if (/(^|\/)(checkpoint\.json|evidence\.html|EVIDENCE\.md)$/.test(name)) return 4;
  return name.startsWith("artifacts/passes/briefs/") ? 2 : 0;
}

function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}
