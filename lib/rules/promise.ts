/** Models add a closing remark. */
const lastLines = 5;

/**
 * Why a final text lacks the promise: `<promise>WORD</promise>` alone on one of the last five non-empty lines, ignoring
 * emphasis and code marks, outside of code fences and quotes.
 */
export function promiseProblem(finalText: string, word: string): string | null {
  const tag = `<promise>${word}</promise>`;
  const lines = readLines(finalText);
  const last = lines.slice(-lastLines);
  if (last.some(({ text, aside }) => !aside && withoutMarks(text) === tag)) return null;
  const held = last.filter(({ text }) => text.includes(tag));
  if (held.some(({ aside }) => aside)) return "it is in a code fence or a quote";
  if (held.length > 0) return "other text is on the same line";
  if (lines.some(({ text }) => text.includes(tag))) return `it is not among the last ${lastLines} lines`;
  return "it is not there";
}

interface Line {
  readonly text: string;
  readonly aside: boolean;
}

/** Non-empty lines, those of fences included. */
function readLines(text: string): Line[] {
  const lines: Line[] = [];
  let fence: string | null = null;
  let quoted = false;
  for (const line of text.split(/\r?\n/)) {
    const bare = line.trim();
    if (fence !== null) {
      if (isClosing(bare, fence)) fence = null;
      if (bare !== "") lines.push({ text: bare, aside: true });
      continue;
    }
    fence = openingFence(bare);
    // A line right below a quote continues it.
    quoted = bare !== "" && (bare.startsWith(">") || (quoted && fence === null));
    if (bare !== "") lines.push({ text: bare, aside: quoted || fence !== null });
    if (/^>\s*$/.test(bare)) quoted = false;
  }
  return lines;
}

function openingFence(line: string): string | null {
  const match = /^(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line);
  return match?.[1] ?? match?.[2] ?? null;
}

function isClosing(line: string, fence: string): boolean {
  return line.length >= fence.length && line === (fence[0] ?? "").repeat(line.length);
}

function withoutMarks(line: string): string {
  return line.replace(/^[*_`\s]+|[*_`\s]+$/g, "");
}
