import type { SyntaxNode } from "@lezer/common";
import type { ChangedFile } from "../wrong/changed-lines.ts";
import { applyEdits, type Edit } from "../wrong/edit.ts";
import { isInnerTest, languageOf, parseSource, walkTree } from "../wrong/grammars.ts";
import { innerTestsAt } from "../wrong/tested-names.ts";

/** Sources of Rust, JavaScript, Python and Elixir whose inner tests changed, by repo path, put together from both times. */
export interface InnerTests {
  /** The present work with the tests of pass 1. */
  readonly old: ReadonlyMap<string, string>;
  /** The work of pass 1 with the present tests. */
  readonly without: ReadonlyMap<string, string>;
  /** The present work with its own tests, put together likewise: a check that fails then is about the form of a source. */
  readonly apart: ReadonlyMap<string, string>;
  /** New sources that have tests: without the work these are not there. */
  readonly added: readonly string[];
}

interface Source {
  /** In Python by the name of what they document, else all in one. */
  readonly tests: ReadonlyMap<string, string>;
  /** The same tests, as those of another source. */
  readonly others: Source["tests"];
  /** The source with other tests in place of its own. */
  with(others: Source["tests"]): string;
}

/** The tests that are in changed sources of the work, as on the side of the checks. */
export async function findInnerTests(work: readonly ChangedFile[]): Promise<InnerTests> {
  const files = work.filter(({ path }) => /^(?:rust|python|javascript|ex)$/.test(languageOf(path) ?? path.slice(-2)));
  const [old, without, apart] = [new Map<string, string>(), new Map<string, string>(), new Map<string, string>()];
  for (const { path, text, before } of files) {
    if (before === null || !hasTests(path, `${text}\n${before}`)) continue;
    const [now, then] = [await readSource(path, text), await readSource(path, before)];
    if (listTests(now) === listTests(then)) continue;
    old.set(path, now.with(then.tests));
    without.set(path, then.with(now.tests));
    apart.set(path, now.with(now.others));
  }
  const added = files.filter(({ path, text, before }) => before === null && hasTests(path, text));
  return { old, without, apart, added: added.map(({ path }) => path) };
}

async function readSource(path: string, text: string): Promise<Source> {
  if (path.endsWith(".ex")) return readElixir(text);
  return path.endsWith(".py") ? await readPython(path, text) : await readBlocks(path, text);
}

function hasTests(path: string, text: string): boolean {
  if (path.endsWith(".ex")) return text.search(elixirExamples) >= 0;
  if (path.endsWith(".py")) return /^[ \t]*[a-zA-Z]?["']*>>> /m.test(text);
  return innerTestsAt(path, text) >= 0 || (path.endsWith(".rs") && text.search(rustExamples) >= 0);
}

function listTests({ tests }: Source): string {
  return JSON.stringify([...tests].sort());
}

/** Of Rust, and of JavaScript for Vitest. */
async function readBlocks(path: string, text: string): Promise<Source> {
  const parsed = await parseSource(path, text);
  let [work, inner, end] = ["", "", 0];
  for (let node = parsed?.top.firstChild ?? null; node !== null; node = node.nextSibling) {
    if (parsed === null || !isInnerTest(parsed, node)) continue;
    work += text.slice(end, node.from);
    inner += `\n${text.slice(node.from, node.to)}\n`;
    end = node.to + (/^[\r\n]*/.exec(text.slice(node.to))?.[0].length ?? 0);
  }
  work = `${`${work}${text.slice(end)}`.trimEnd()}\n`;
  const fenced = path.endsWith(".rs") ? rustExamples : /(?!)/g;
  const examples = (work.match(fenced) ?? []).map(
    (one) => `\n${one.replace(/^[ \t]*\/\/[!/]/gm, "///")}const _: () = ();\n`,
  );
  // As rustfmt and clippy want it: one empty line between, and what is no test first.
  const tests = new Map([["", examples.join("") + inner]]);
  return { tests, others: tests, with: (others) => work.replace(fenced, "") + (others.get("") ?? "") };
}

/** What documentation has between fences, and cargo runs as tests, whatever they document. */
const rustExamples =
  /^[ \t]*\/\/[!/][ \t]*```[^`\n]*\n(?:[ \t]*\/\/[!/](?![ \t]*```).*\n)*[ \t]*\/\/[!/][ \t]*```[ \t]*\n/gm;

/** Up to an empty line or the end of the documentation. */
const elixirExamples = /^[ \t]*iex(?:\(\d+\))?> .*\n(?:(?![ \t]*""")[ \t]*\S.*\n)*/gm;

/** Only if the file is one module: then a function of it that is documented so has the same tests. */
function readElixir(text: string): Source {
  const whole = text.trimEnd();
  const isOne = whole.endsWith("\nend") && text.match(/^[ \t]*defmodule /gm)?.length === 1;
  const quote = text.includes('~S"""') ? '~S"""' : '"""';
  const functions = (isOne ? (text.match(elixirExamples) ?? []) : []).map((example, number) => {
    const own = example.replace(/^[ \t]*(?=\S)/gm, "    ");
    return `\n  @doc ${quote}\n${own}  """\n  def task_phase_example_${number}, do: nil\n`;
  });
  const tests = new Map([["", functions.join("")]]);
  return {
    tests,
    others: tests,
    with: (others) => (isOne ? `${whole.slice(0, -3).replace(elixirExamples, "")}${others.get("")}end\n` : text),
  };
}

/** Examples that doctest runs. Those of what this source lacks are where doctest finds them without it. */
async function readPython(path: string, text: string): Promise<Source> {
  const docs = new Map<string, Edit>();
  const parsed = await parseSource(path, text);
  if (parsed !== null)
    walkTree(parsed.top, (node) => {
      if (!isDocumentation(node)) return true;
      let owner = ownerOf(node, text);
      while (docs.has(owner)) owner += "'";
      docs.set(owner, { from: node.from, to: node.to, text: text.slice(node.from, node.to) });
      return false;
    });
  const tests = new Map([...docs].flatMap(([owner, doc]) => (hasTests(path, doc.text) ? [[owner, doc.text]] : [])));
  return {
    tests,
    others: new Map([...tests].map(([owner, doc]) => [`other ${owner}`, doc])),
    with: (others) => {
      const edits = [...docs].map(([owner, doc]) => {
        const empty = tests.has(owner) ? '""' : doc.text;
        return { ...doc, text: others.get(owner) ?? empty };
      });
      const rows = [...others].flatMap(([owner, doc]) =>
        docs.has(owner) ? [] : [`    ${JSON.stringify(owner)}: ${doc},\n`],
      );
      const table = `\n\n__test__ = {\n    **globals().get("__test__", {}),\n${rows.join("")}}\n`;
      return applyEdits(text, edits) + (rows.length === 0 ? "" : table);
    },
  };
}

/** A string that is the first statement of a module, class or function. */
function isDocumentation({ name, firstChild, parent, prevSibling }: SyntaxNode): boolean {
  if (name !== "ExpressionStatement" || firstChild?.name !== "String" || firstChild.nextSibling !== null) return false;
  let before = prevSibling;
  while (before?.name === "Comment") before = before.prevSibling;
  return before === null
    ? parent?.name === "Script"
    : before.name === ":" && definition.test(parent?.parent?.name ?? "");
}

const definition = /^(?:Class|Function)Definition$/;

/** The name of the class or function that it is in, after those around that; empty in none. */
function ownerOf({ parent }: SyntaxNode, text: string): string {
  if (parent === null) return "";
  const outer = ownerOf(parent, text);
  const name = definition.test(parent.name) ? parent.getChild("VariableName") : null;
  return [outer, name === null ? "" : text.slice(name.from, name.to)].filter((part) => part !== "").join(".");
}
