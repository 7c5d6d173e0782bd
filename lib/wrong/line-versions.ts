import type { SyntaxNode } from "@lezer/common";
import type { wrongChanges } from "../machine/words.ts";
import type { Edit } from "./edit.ts";
import { linesOf } from "./edit.ts";
import { type Parsed, walkTree } from "./grammars.ts";

/**
 * What a wrong line does: something has another value, a statement is gone, nothing is returned, or a text that is
 * written for people, such as the message of an error, is another one: few checks hold that.
 */
export type WrongChange = (typeof wrongChanges)[number];

/** A small change of one line that leaves a source loadable in most cases, and makes what it does wrong. */
export interface LineVersion {
  /** From 1. */
  readonly line: number;
  readonly was: string;
  readonly made: string;
  readonly edit: Edit;
  readonly change: WrongChange;
}

const swaps: Readonly<Record<string, string>> = {
  "+": "-",
  "-": "+",
  "*": "+",
  "/": "*",
  "%": "*",
  "**": "*",
  "//": "*",
  "===": "!==",
  "!==": "===",
  "==": "!=",
  "!=": "==",
  "<": ">=",
  ">": "<=",
  "<=": ">",
  ">=": "<",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  and: "or",
  or: "and",
  "+=": "-=",
  "-=": "+=",
  "*=": "+=",
  "/=": "*=",
  "++": "--",
  "--": "++",
  "<<": ">>",
  ">>": "<<",
  "&": "|",
  "|": "&",
  "!": "",
  not: "",
  in: "not in",
  is: "is not",
};

const operatorNode = /Op$/;
const operationNode = /^(?:Binary|Unary|Logical|Comparison|Update|Assignment|IncDec|Postfix|Prefix|CompoundAssign)/;
const numberNode = /^(?:Number|Integer|Float|IntegerLiteral|FloatingPointLiteral|FloatLiteral)$/;
const stringNode =
  /^(?:String|StringLiteral|RawString|FormatString|TemplateString|CharLiteral|CharacterLiteral|Rune|Char)$/;
const truth: Readonly<Record<string, string>> = { true: "false", false: "true", True: "False", False: "True" };
/** What stands in these is no value of the work: names of modules, directives, annotations. */
const notValues =
  /^(?:Import.*|PreprocDirective|PackageClause|Attribute|(?:Marker)?Annotation|Decorator|TypeAnnotation|TypeDef|Type(?:Arg|Param)List)$/;
const statementNode =
  /^(?:ExpressionStatement|ExprStatement|Assignment|AssignStatement|UpdateStatement|IncDecStatement|RaiseStatement|ThrowStatement)$/;
const forPeople =
  /^(?:RaiseStatement|ThrowStatement)$|^(?:console|log|logger|logging|print|println|eprintln|panic|fmt)\b/;

const longestShown = 60;

/** Every version that changes something on one of these lines, in the order of the text. */
export function listLineVersions(
  parsed: Parsed,
  changed: ReadonlySet<number>,
  isSkipped: (node: SyntaxNode) => boolean = () => false,
): LineVersion[] {
  const { text } = parsed;
  const lines = linesOf(text);
  const found: LineVersion[] = [];
  walkTree(parsed.top, (node) => {
    if (notValues.test(node.name) || isSkipped(node)) return false;
    const line = lines.lineAt(node.from);
    if (!changed.has(line)) return;
    const edit = editOf(parsed, node);
    if (edit === null) return;
    // A version that ends on another line than it began has to be wholly of this work.
    for (let at = line; at <= lines.lineAt(Math.max(edit.from, edit.to - 1)); at += 1) if (!changed.has(at)) return;
    const was = text.slice(edit.from, edit.to);
    if (was === edit.text) return;
    const isWords = stringNode.test(node.name) && isForPeople(parsed, node);
    const change = isWords
      ? "words"
      : /^(?:ReturnStatement|ArrowFunction)$/.test(node.name)
        ? "nothing"
        : statementNode.test(node.name)
          ? "dropped"
          : "value";
    found.push({ line, was: show(was), made: show(edit.text), edit, change });
  });
  return found;
}

function show(text: string): string {
  const plain = text.trim().replace(/\s+/g, " ");
  return plain === "" || plain === ";" || plain === "pass"
    ? "nothing"
    : plain.length > longestShown
      ? `${plain.slice(0, longestShown - 1)}…`
      : plain;
}

function editOf(parsed: Parsed, node: SyntaxNode): Edit | null {
  const { text } = parsed;
  const { from, to, name } = node;
  const own = text.slice(from, to);
  if (stringNode.test(name)) return isNoValue(node) ? null : wrongString(own, from);
  if (node.firstChild === null) {
    const other = numberNode.test(name) ? otherNumber(own) : (truth[own] ?? null);
    if (other !== null) return { from, to, text: other };
    if (!isOperator(node) || !Object.hasOwn(swaps, own)) return null;
    return { from, to, text: swaps[own] ?? "" };
  }
  if (name === "ReturnStatement") return wrongReturn(parsed, node);
  if (name === "ArrowFunction") return wrongArrow(parsed, node);
  return statementNode.test(name) ? dropped(parsed, node) : null;
}

function isOperator(node: SyntaxNode): boolean {
  const parent = node.parent?.name ?? "";
  if (operatorNode.test(node.name) || /^(?:and|or|not|in|is)$/.test(node.name)) return operationNode.test(parent);
  return operatorNode.test(parent);
}

function otherNumber(text: string): string | null {
  const match = /^(\d[\d_]*)(.*)$/s.exec(text);
  if (match === null) return null;
  const [, whole = "", rest = ""] = match;
  if (/^[xXbBoO]/.test(rest)) return `${text.slice(0, 2)}1${rest.length > 1 ? rest.slice(2) : ""}`;
  return `${BigInt(whole.replaceAll("_", "")) + 1n}${rest}`;
}

/** With one letter more at the beginning. */
function wrongString(text: string, from: number): Edit | null {
  const open = /^[A-Za-z]{0,3}#*(?:"""|'''|["'`])/.exec(text)?.[0];
  if (open === undefined) return null;
  // A character in quotes has room for one.
  if (/^'(?:[^'\\]|\\.)'$/.test(text) && open === "'" && text.length <= 4) {
    return { from, to: from + text.length, text: text === "'x'" ? "'y'" : "'x'" };
  }
  return { from, to: from + text.length, text: `${open}x${text.slice(open.length)}` };
}

/** A string that is a statement of its own, a documentation string or a directive, and the name of a module. */
function isNoValue({ parent, to }: SyntaxNode): boolean {
  return (
    parent?.name === "ExportDeclaration" || (parent?.name === "ExpressionStatement" && parent.firstChild?.to === to)
  );
}

function isForPeople({ text }: Parsed, node: SyntaxNode): boolean {
  for (let at = node.parent, up = 0; at !== null && up < 6; at = at.parent, up += 1) {
    if (forPeople.test(at.name)) return true;
    if (/^(?:CallExpression|MethodInvocation|CallExpr|MacroInvocation|NewExpression|New)/.test(at.name)) {
      if (
        forPeople.test(text.slice(at.from, at.from + 12)) ||
        /^(?:new\s+)?\w*(?:Error|Exception)\b/.test(text.slice(at.from, at.to))
      )
        return true;
    }
  }
  return false;
}

const nothing: Readonly<Record<string, (parsed: Parsed) => string | null>> = {
  javascript: ({ isTyped }) => (isTyped ? "undefined as any" : "undefined"),
  python: () => "None",
  java: () => "null",
  php: () => "null",
  cpp: () => "0",
  go: () => null,
  rust: () => null,
};

function wrongReturn(parsed: Parsed, node: SyntaxNode): Edit | null {
  const value = node.firstChild?.nextSibling ?? null;
  const made = nothing[parsed.language]?.(parsed) ?? null;
  if (value === null || made === null || value.name === ";") return null;
  const last = node.lastChild?.name === ";" ? (node.lastChild.prevSibling ?? value) : (node.lastChild ?? value);
  const was = parsed.text.slice(value.from, last.to);
  return /^(?:undefined|null|None|0|nullptr|NULL)$/.test(was) ? null : { from: value.from, to: last.to, text: made };
}

function wrongArrow(parsed: Parsed, node: SyntaxNode): Edit | null {
  const body = node.lastChild;
  if (parsed.language !== "javascript" || body === null || body.name === "Block") return null;
  return { from: body.from, to: body.to, text: parsed.isTyped ? "(undefined as any)" : "undefined" };
}

/** Without the statement; null for one that is the value of its block. */
function dropped({ language, text }: Parsed, { from, to, firstChild }: SyntaxNode): Edit | null {
  if (firstChild !== null && stringNode.test(firstChild.name) && firstChild.to >= to - 1) return null;
  if (language === "rust" && !text.slice(from, to).endsWith(";")) return null;
  return { from, to, text: language === "python" ? "pass" : language === "go" ? "" : ";" };
}
