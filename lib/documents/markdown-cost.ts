/** The problem of a text, and the offset where it begins. */
export interface TextProblem {
  readonly code: string;
  readonly message: string;
  readonly offset: number;
  readonly fix: string;
}

/**
 * What the Markdown parser pays for, counted in one linear pass. Each number is a bound on a construct whose cost was
 * measured to grow with its matrix (or with its number times the length of the paragraph): at the bound it costs a
 * few tenths of a second, and everyday documents stay far below it.
 */
const bounds = {
  /** Container markers at the start of one line: `> > - - 1.` */
  nesting: 12,
  /** Markers beyond the first of each line, in the whole file. */
  nestedMarkers: 300,
  /** Columns of space before a list marker, summed over the file. */
  listIndent: 12_000,
  /** Σ n² over paragraphs of n lines: lazy continuation. */
  lines: 2_000_000,
  /** Σ brackets · marks over paragraphs: a bracket that closes nothing looks through all that is before it. */
  brackets: 1_200_000,
  /** Closing brackets in the whole file. */
  links: 4_000,
  /** Brackets and parentheses open at once. */
  open: 100,
  /** Σ emphasis · marks over paragraphs, two characters of `*`, `_` or `~` that may open or close counting as one. */
  emphasis: 600_000,
  /** Σ n · length over paragraphs with n openings `<!`, `<?` or code fences of one more length. */
  scans: 2_000_000,
  /** Σ n² over paragraphs with n marks of any kind, each of which becomes a token that others are spliced around. */
  marks: 40_000_000,
  /** Marks of any kind in the whole file. */
  allMarks: 20_000,
  /** Table cells in the whole file. */
  cells: 10_000,
};

type Counter = keyof typeof bounds;

const names: Record<Counter, string> = {
  nesting: "quotes and lists are nested too deep",
  nestedMarkers: "too many quotes and lists are nested in one another",
  listIndent: "lists are nested too deep",
  lines: "paragraphs have too many lines",
  brackets: "a paragraph has too many brackets",
  links: "there are too many brackets",
  open: "too many brackets are open at once",
  emphasis: "a paragraph has too many emphasis marks",
  scans: "a paragraph has too many unclosed code or HTML marks",
  marks: "a paragraph has too many marks",
  allMarks: "there are too many marks",
  cells: "tables have too many cells",
};

/** The first place where a text becomes too costly for the Markdown parser, or null. Linear time. */
export function findCostlyMarkdown(text: string): TextProblem | null {
  const found = measureMarkdown(text).find(({ counter, value }) => value > bounds[counter]);
  if (found === undefined) return null;
  const message = `${names[found.counter]} to be read safely (${found.value}, at most ${bounds[found.counter]})`;
  return {
    code: "TP_TEXT_TOO_COMPLEX",
    message,
    offset: found.offset,
    fix: "simplify this part, or move it to a file under artifacts/",
  };
}

interface Measure {
  readonly counter: Counter;
  value: number;
  /** Where the value became what it is, or first passed its bound. */
  offset: number;
}

/** The highest value of each counter, in the order in which a person reads them. */
export function measureMarkdown(text: string): Measure[] {
  const measures = (Object.keys(bounds) as Counter[]).map((counter): Measure => ({ counter, value: 0, offset: 0 }));
  const by = Object.fromEntries(measures.map((measure) => [measure.counter, measure])) as Record<Counter, Measure>;
  const grow = (counter: Counter, to: number, offset: number): void => {
    const measure = by[counter];
    if (to <= measure.value) return;
    if (measure.value <= bounds[counter]) measure.offset = offset;
    measure.value = to;
  };
  const add = (counter: Counter, amount: number, offset: number): void =>
    grow(counter, by[counter].value + amount, offset);
  for (const block of splitBlocks(text)) {
    for (const line of block.lines) {
      const { markers, listIndent } = countContainers(line.text);
      grow("nesting", markers, line.offset);
      add("nestedMarkers", Math.max(0, markers - 1), line.offset);
      add("listIndent", listIndent, line.offset);
    }
    const marks = countMarks(block.text);
    add("lines", block.lines.length ** 2, block.offset);
    add("brackets", marks.brackets * marks.all, block.offset);
    add("links", marks.links, block.offset);
    grow("open", marks.open, block.offset + marks.openAt);
    add("emphasis", marks.emphasis * marks.all, block.offset);
    add("scans", marks.scans * block.text.length, block.offset);
    add("marks", marks.all ** 2, block.offset);
    add("allMarks", marks.all, block.offset);
    add("cells", marks.bars, block.offset);
  }
  return measures;
}

interface Block {
  readonly text: string;
  readonly offset: number;
  readonly lines: readonly { readonly text: string; readonly offset: number }[];
}

/**
 * Runs of lines that are not blank; a heading and an item of a bullet list begin a run of their own, since both end a
 * paragraph wherever they are. No inline construct reaches beyond one run.
 */
function* splitBlocks(text: string): Generator<Block> {
  let lines: { text: string; offset: number }[] = [];
  let offset = 0;
  const take = (): Block => {
    const start = lines[0]?.offset ?? 0;
    const block = { text: text.slice(start, offset), offset: start, lines };
    lines = [];
    return block;
  };
  for (const line of text.split("\n")) {
    if (lines.length > 0 && /^ {0,3}(?:[-*+] +\S|#{1,6} )/.test(line)) yield take();
    if (line.trim() !== "") lines.push({ text: line, offset });
    else if (lines.length > 0) yield take();
    offset += line.length + 1;
  }
  if (lines.length > 0) yield take();
}

/** Quote, list and footnote markers at the start of a line, and the columns of space before a list marker. */
function countContainers(line: string): { markers: number; listIndent: number } {
  const marker = /[ \t]*(?:>|[-*+](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)|\[\^[^\]]*\]:)/y;
  let markers = 0;
  let listIndent = 0;
  for (let match = marker.exec(line.trimEnd()); match !== null; match = marker.exec(line.trimEnd())) {
    if (markers === 0 && !match[0].endsWith(">")) listIndent = match[0].length - 1;
    markers++;
  }
  return { markers, listIndent };
}

function countMarks(block: string) {
  const marks = { all: 0, links: 0, brackets: 0, open: 0, openAt: 0, emphasis: 0, scans: 0, bars: 0 };
  const tickRuns = new Set<number>();
  let depth = 0;
  for (const match of block.matchAll(/[[\]()|&\\@]|<[!?]?|`+|[*_~]+|www\.|:\/\//g)) {
    const mark = match[0];
    marks.all += Math.ceil(mark.length / 2);
    const first = mark[0] ?? "";
    if ("[]()".includes(first)) {
      if (first === "[" || first === "]") marks.brackets++;
      if (first === "]") marks.links++;
      depth = Math.max(0, depth + (first === "[" || first === "(" ? 1 : -1));
      if (depth > marks.open) Object.assign(marks, { open: depth, openAt: match.index });
    } else if (first === "|") marks.bars++;
    else if (mark === "<!" || mark === "<?") marks.scans++;
    else if (first === "`") tickRuns.add(mark.length);
    else if ("*_~".includes(first) && mayEmphasise(block, match.index, mark))
      marks.emphasis += Math.ceil(mark.length / 2);
  }
  marks.scans += tickRuns.size;
  return marks;
}

/** Runs between two spaces never open or close emphasis, and neither do underscores inside a word. */
function mayEmphasise(block: string, start: number, run: string): boolean {
  const before = block[start - 1] ?? " ";
  const after = block[start + run.length] ?? " ";
  if (/\s/.test(before) && /\s/.test(after)) return false;
  return !(run[0] === "_" && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after));
}
