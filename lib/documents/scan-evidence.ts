const mark = /^<!-- task-phase:(begin|end) ([a-z0-9_-]{1,40}) -->$/;

/**
 * True if `readEvidence` is sure to read this text, which `easyText` passed twice over: each mark of the runner is a
 * block of its own, and they pair up. False: undecided, parse it.
 */
export function isEvidencePlain(text: string): boolean {
  if (text.startsWith("---")) return false;
  const closed = new Set<string>();
  let open: string | null = null;
  let inComment = false;
  // A block that a blank line does not end must not swallow a mark: what could begin one is left to the parser.
  let isFree = true;
  for (const line of text.split("\n")) {
    const found = inComment ? null : mark.exec(line);
    if (found !== null) {
      const [, kind, name = ""] = found;
      if (!isFree || (kind === "begin" ? open !== null || closed.has(name) : open !== name)) return false;
      if (kind === "end") closed.add(name);
      open = kind === "begin" ? name : null;
      continue;
    }
    if (line.includes("task-phase:")) return false;
    if (inComment || line.startsWith("<!--")) {
      if (!inComment && (!isFree || /^<!--[->]/.test(line))) return false;
      const end = line.indexOf("-->");
      if (end >= 0 && end !== line.length - 3) return false;
      inComment = end < 0;
      isFree = !inComment;
    } else {
      if (/```|~~~|<(?:[!?]|script|pre|style|textarea)/i.test(line)) return false;
      isFree = line === "";
    }
  }
  return open === null && !inComment;
}
