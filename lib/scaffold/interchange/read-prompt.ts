import path from "node:path";
import type { Root } from "mdast";
import { offsetsOf, plainLine } from "../../documents/markdown.ts";
import { readTree } from "../../documents/read-tree.ts";
import { readStrictYaml } from "../../documents/strict-yaml.ts";
import { showShort } from "../../documents/templates/visible.ts";
import { dataError, TaskPhaseError } from "../../text/errors.ts";
import { errorFinding, type Finding, infoFinding, warningFinding } from "../../text/finding.ts";
import { asObject } from "../../text/json-object.ts";
import { shorten } from "../../text/shorten.ts";

export interface PromptFile {
  /** `ralph-loop`: the state file of a loop, `.claude/ralph-loop.local.md`. */
  readonly form: "prompt" | "ralph-loop";
  /** The first heading that names more than a section, else the first words. */
  readonly title: string;
  readonly prompt: string;
  /** The loop's cap; null if there is none. */
  readonly passes: number | null;
  /** Null: the loop says that there is none. Undefined: nothing is said. */
  readonly promise: string | null | undefined;
  readonly findings: readonly Finding[];
}

const loopKeys = ["active", "iteration", "max_iterations", "completion_promise"];
const mostPasses = 1_000_000;

/** Reads a prompt, with the front matter of a loop if it has one. Throws a data error with all that is wrong. */
export function readPrompt(bytes: Buffer, file: string): PromptFile {
  const read = readTree(bytes, file);
  if (read.kind === "bad") throw new TaskPhaseError("data", read.findings);
  const yaml = readFrontMatter(read.tree, read.text, file);
  const loop = yaml !== null && loopKeys.some((key) => key in yaml.values) ? yaml : null;
  const prompt = read.text.slice(loop?.end ?? 0).trim();
  if (prompt === "") {
    const message = loop === null ? "the file is empty; a prompt is expected" : "no prompt follows the front matter";
    throw dataError("TP_PROMPT_EMPTY", message, { file, fix: "write what you want into the file" });
  }
  const said = { title: titleOf(read.tree, file), prompt: prompt.replaceAll("\r\n", "\n") };
  const promise = promiseIn(prompt);
  if (loop === null) return { form: "prompt", ...said, passes: null, promise, findings: [] };
  const told = readLoop(loop, file);
  return { form: "ralph-loop", ...said, ...told, promise: told.promise === undefined ? promise : told.promise };
}

/** The one word that the prompt's own text asks for; undefined if it names none, or more than one. */
function promiseIn(prompt: string): string | undefined {
  const words = [...prompt.matchAll(/<promise>([^<>]{1,80})<\/promise>/g)].map(([, word = ""]) => word.trim());
  const [first] = words;
  return isOneWord(first) && words.every((word) => word === first) ? first : undefined;
}

type FrontMatter = Readonly<NonNullable<ReturnType<typeof readFrontMatter>>>;

/** `end`: the offset behind it. Null if there is none, or none that is a map: then it is a part of the prompt. */
function readFrontMatter(tree: Root, text: string, file: string) {
  const first = tree.children[0];
  if (first?.type !== "yaml") {
    const opened = /^---\s*\n[\s\S]*?^(?:active|max_iterations|completion_promise):/m.test(
      text.replaceAll("\r\n", "\n"),
    );
    if (!opened || !text.startsWith("---")) return null;
    throw dataError("TP_LOOP_FRONT_MATTER", "the front matter that begins at line 1 is never closed", {
      file,
      line: 1,
      column: 1,
      fix: "end it with a line `---`",
    });
  }
  const yaml = readStrictYaml({ text: `${first.value}\n`, file, linesBefore: 1 });
  const isLoop = loopKeys.some((key) => new RegExp(`^${key}:`, "m").test(first.value));
  if (yaml.kind === "bad") {
    if (isLoop) throw new TaskPhaseError("data", yaml.findings);
    return null;
  }
  const values = asObject(yaml.value);
  return values === null ? null : { yaml, values, end: offsetsOf(first).end };
}

function readLoop({ yaml, values }: FrontMatter, file: string): Pick<PromptFile, "passes" | "promise" | "findings"> {
  const problems: Finding[] = [];
  const remarks: Finding[] = [];
  const place = (key: string) => yaml.locate([key], "value");
  const wrong = (key: string, wanted: string, fix: string) => {
    const message = `\`${key}\` must be ${wanted}, found ${shorten(JSON.stringify(values[key]) ?? "nothing")}`;
    problems.push(errorFinding("TP_LOOP_VALUE", message, { ...place(key), fix }));
  };
  const cap = values.max_iterations ?? 0;
  const isCount = Number.isSafeInteger(cap) && Number(cap) >= 0 && Number(cap) <= mostPasses;
  if (!isCount) wrong("max_iterations", `a whole number from 0 to ${mostPasses}`, "write 0 for no limit");
  if (cap === 0) {
    const message = "the loop had no cap, but a task always has one: the default of budget.passes applies";
    remarks.push(infoFinding("TP_LOOP_NO_CAP", message, { file, fix: "set budget.passes in the brief to change it" }));
  }
  const promise = values.completion_promise;
  const isPromise = promise === undefined || promise === null || isOneWord(promise);
  if (!isPromise)
    wrong(
      "completion_promise",
      "one line of 1 to 80 characters without < and >, or null",
      "write a word such as COMPLETE",
    );
  if (values.active === true) {
    const message = "the loop is still active; a run in its repo is refused until it ends";
    remarks.push(warningFinding("TP_LOOP_ACTIVE", message, { ...place("active"), fix: "stop it, or delete the file" }));
  }
  if (problems.length > 0) throw new TaskPhaseError("data", problems);
  return {
    passes: cap === 0 ? null : Number(cap),
    promise: isPromise ? promise : null,
    findings: remarks,
  };
}

function isOneWord(value: unknown): value is string {
  return (
    typeof value === "string" && value.trim() !== "" && value.length <= 80 && !/[<>\p{Cc}\u2028\u2029]/u.test(value)
  );
}

/** Headings of parts: they say nothing about the work. */
const partNames =
  /^(?:your )?(?:background|context|goals?|instructions?|introduction|notes?|objectives?|overview|process|prompt|requirements|role|rules|steps?|tasks?|workflow)$/i;

function titleOf(tree: Root, file: string): string {
  const headings = tree.children.filter((node) => node.type === "heading");
  const named = headings.filter((node) => !partNames.test(plainLine(node).replace(/[^\p{L} ]/gu, "")));
  const texts = tree.children.filter((node) => !["yaml", "html", "heading"].includes(node.type));
  const words = [...named, ...texts, ...headings].map(plainLine).find((line) => line !== "");
  return showShort(words ?? path.basename(file), 80);
}
