import type { SyntaxNode } from "@lezer/common";
import type { wrongChanges } from "../../rules/words.ts";
import { type Edit, linesOf } from "./edit.ts";
import { type Parsed, walkTree } from "./grammars.ts";
import {
  dropped,
  instead,
  otherNumber,
  stringNode,
  wrongArrow,
  wrongLiteral,
  wrongReturn,
  wrongTagText,
} from "./line-edits.ts";

/**
 * What a wrong line does: something has another value, a statement is gone, nothing is passed on or returned, or a text
 * that is written for people, such as the message of an error, is another one: few checks hold that.
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

/** Another operator in place of each. */
export const swaps: Readonly<Record<string, string>> = {
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
  "~=": "==",
  eq: "ne",
  ne: "eq",
};

const operatorNode = /Op$/;
const operationNode = /^(?:Binary|Unary|Logical|Comparison|Update|Assignment|IncDec|Postfix|Prefix|CompoundAssign)/;
const numberNode = /^(?:Number|Integer|Float|IntegerLiteral|FloatingPointLiteral|FloatLiteral)$/;
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
    const isTagText = node.name === "JSXText";
    if (!isTagText && !changed.has(lines.lineAt(node.from))) return;
    for (const edit of editsOf(parsed, node)) {
      const line = lines.lineAt(isTagText ? edit.from : node.from);
      const was = text.slice(edit.from, edit.to);
      // A version that ends on another line than it began has to be wholly of this work.
      const isOwn = between(line, lines.lineAt(Math.max(edit.from, edit.to - 1))).every((each) => changed.has(each));
      if (isOwn && was !== edit.text)
        found.push({ line, was: showText(was), made: showText(edit.text), edit, change: changeOf(parsed, node) });
    }
  });
  return found;
}

function between(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_none, index) => first + index);
}

function changeOf(parsed: Parsed, node: SyntaxNode): LineVersion["change"] {
  const { name } = node;
  if (name.startsWith("JSX")) return "words";
  if ((stringNode.test(name) || name === "VariableName") && isForPeople(parsed, node)) return "words";
  if (/^(?:ReturnStatement|ArrowFunction)$/.test(name)) return "nothing";
  if (statementNode.test(name)) return "dropped";
  return name === "VariableName" ? "passed" : "value";
}

export function showText(text: string): string {
  const plain = text.trim().replace(/\s+/g, " ");
  return plain === "" || plain === ";" || plain === "pass"
    ? "nothing"
    : plain.length > longestShown
      ? `${plain.slice(0, longestShown - 1)}…`
      : plain;
}

function editsOf(parsed: Parsed, node: SyntaxNode): Edit[] {
  const own = parsed.text.slice(node.from, node.to);
  if (node.name === "JSXText") return wrongTagText(own, node.from);
  if (stringNode.test(node.name)) return isNoValue(node) ? [] : wrongLiteral(own, node);
  const edit = editOf(parsed, node, own);
  return edit === null ? [] : [edit];
}

function editOf(parsed: Parsed, node: SyntaxNode, own: string): Edit | null {
  const { from, to, name } = node;
  if (name === "VariableName") return isPassed(node) ? instead(parsed, node) : null;
  if (node.firstChild === null) {
    const other = numberNode.test(name) ? otherNumber(own) : Object.hasOwn(truth, own) ? (truth[own] ?? null) : null;
    if (other !== null) return { from, to, text: other };
    if (!isOperator(node) || !Object.hasOwn(swaps, own)) return null;
    return { from, to, text: swaps[own] ?? "" };
  }
  if (name === "ReturnStatement") return wrongReturn(parsed, node);
  if (name === "ArrowFunction") return wrongArrow(parsed, node);
  return statementNode.test(name) ? dropped(parsed, node) : null;
}

/** An argument, or a property of an object. */
function isPassed({ parent, prevSibling, nextSibling }: SyntaxNode): boolean {
  if (parent?.name === "Property") return prevSibling?.name === ":";
  const isBase = parent?.parent?.name === "ClassDefinition";
  const isMany = prevSibling?.name === "*" || prevSibling?.name === "**";
  return parent?.name === "ArgList" && nextSibling?.name !== "AssignOp" && !isMany && !isBase;
}

function isOperator(node: SyntaxNode): boolean {
  const parent = node.parent?.name ?? "";
  if (operatorNode.test(node.name) || /^(?:and|or|not|in|is)$/.test(node.name)) return operationNode.test(parent);
  return operatorNode.test(parent);
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
