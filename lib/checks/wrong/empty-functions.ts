import type { SyntaxNode } from "@lezer/common";
import { type Edit, linesOf } from "./edit.ts";
import { childrenOf, isInnerTest, type Language, type Parsed, walkTree } from "./grammars.ts";

export const functionNode: Readonly<Record<Language, RegExp>> = {
  javascript: /^(?:FunctionDeclaration|FunctionExpression|ArrowFunction|MethodDeclaration|Property)$/,
  python: /^FunctionDefinition$/,
  go: /^(?:FunctionDecl|MethodDecl|FunctionLiteral)$/,
  rust: /^FunctionItem$/,
  java: /^MethodDeclaration$/,
  cpp: /^FunctionDefinition$/,
  php: /^(?:FunctionDefinition|MethodDeclaration)$/,
};
const bodyNode = /^(?:Block|Body|CompoundStatement)$/;

/**
 * Every function that a changed line is part of gives nothing, and every changed value at the top of the file becomes
 * another. A function stays as it is written and returns at its beginning, so that what it uses is still used. The
 * outermost function counts: one within another gives nothing with it. Values are to be emptied only if the file still loads
 * without them. What a function gives says nothing of a change of its head alone: `isOld` tells what was there before.
 */
export function emptySource(
  parsed: Parsed,
  changed: ReadonlySet<number>,
  isOld: (edit: Edit) => boolean = () => false,
) {
  const lines = linesOf(parsed.text);
  const touches = (node: SyntaxNode): boolean => {
    const last = lines.lineAt(endOf(node));
    for (let line = lines.lineAt(node.from); line <= last; line += 1) if (changed.has(line)) return true;
    return false;
  };
  /** Whether the body has a line of the work, or on the line of its head what was not there. */
  const isNew = (node: SyntaxNode): boolean => {
    const body = childrenOf(node).find(({ name }) => bodyNode.test(name)) ?? node.lastChild ?? node;
    const [first, last] = [lines.lineAt(body.from), lines.lineAt(endOf(body))];
    for (let line = first + 1; line <= last; line += 1) if (changed.has(line)) return true;
    const to = Math.min(endOf(body), lines.startOf(first + 1) - 1);
    return changed.has(first) && !isOld({ from: body.from, to, text: "" });
  };
  const functions: Edit[] = [];
  const values: Edit[] = [];
  walkTree(parsed.top, (node) => {
    if (isInnerTest(parsed, node)) return false;
    if (functionNode[parsed.language].test(node.name)) {
      const edit = touches(node) ? emptyFunction(parsed, node) : null;
      if (edit !== null && isNew(node)) functions.push(edit);
      // A function without a body of its own, such as `key: value`, may hold one.
      return edit === null && touches(node);
    }
    const value = touches(node) ? emptyValue(parsed, node) : null;
    if (value !== null && !isOld(value)) values.push(value);
    return value === null;
  });
  return { functions, values };
}

function emptyFunction(parsed: Parsed, node: SyntaxNode): Edit | null {
  const body = childrenOf(node).find(({ name }) => bodyNode.test(name)) ?? null;
  const { text, language, isTyped } = parsed;
  if (body === null) {
    const value = node.name === "ArrowFunction" ? node.lastChild : null;
    if (value === null) return null;
    return { from: value.from, to: value.to, text: isTyped ? "(undefined as any)" : "undefined" };
  }
  if (language === "python") return emptyPython(text, body);
  const statement = earlyReturn(parsed, node, body);
  const inside = body.firstChild;
  if (statement === null || inside === null || inside.nextSibling?.name === "}") return null;
  return { from: inside.to, to: inside.to, text: ` ${statement}` };
}

/** The end of its last word: in Python, a block goes on over blank lines and comments to what comes next. */
function endOf(node: SyntaxNode): number {
  const last = childrenOf(node).findLast(({ name }) => name !== "Comment");
  return last === undefined ? node.to : endOf(last);
}

/** Before the first statement that is no documentation, indented as that is. */
function emptyPython(text: string, body: SyntaxNode): Edit | null {
  const [first, second] = childrenOf(body).filter(({ name }) => name !== ":" && name !== "Comment");
  if (first === undefined) return null;
  const isText = first.name === "ExpressionStatement" && /String$/.test(first.firstChild?.name ?? "");
  const next = isText ? second : first;
  if (next === undefined) return null;
  const line = text.slice(text.lastIndexOf("\n", next.from - 1) + 1, next.from);
  const isOwnLine = line.trim() === "";
  return { from: next.from, to: next.from, text: isOwnLine ? `return None\n${line}` : "return None; " };
}

/** The statement that ends a function at its beginning; null if what it returns is not known. */
function earlyReturn(parsed: Parsed, node: SyntaxNode, body: SyntaxNode): string | null {
  const { text, language, isTyped } = parsed;
  const head = text.slice(node.from, body.from).trimEnd();
  switch (language) {
    case "javascript": {
      const isSetter = childrenOf(node).some(({ name }) => name === "set");
      const isConstructor = /(?:^|\s)constructor\s*\(/.test(head);
      if (isConstructor) return null;
      return isTyped && !isSetter ? "return undefined as any;" : "return;";
    }
    case "go":
      return goReturn(text, node, body);
    case "rust": {
      const type = /->\s*([^{]+?)(?:\s+where\b[^{]*)?$/s.exec(head)?.[1]?.trim();
      if (type === undefined) return "return;";
      const made = "Default::default()";
      return `return ${/^(?:[\w:]+::)?Result\s*</.test(type) ? `Ok(${made})` : made};`;
    }
    case "java":
      return `if (true) return${javaValue(node, text)};`;
    case "cpp": {
      if (/\bvoid\s*[\w:~]*\s*\([^()]*\)[^*]*$/.test(head)) return "return;";
      const isConstructor = childrenOf(node)[0]?.name === "FunctionDeclarator";
      return isConstructor ? "return;" : parsed.isPlainC ? "return 0;" : "return {};";
    }
    case "php":
      return phpReturn(head);
    case "python":
      return null;
  }
}

function goReturn(text: string, node: SyntaxNode, body: SyntaxNode): string {
  const children = childrenOf(node);
  const lists = children.filter(({ name }) => name === "Parameters");
  const parameters = node.name === "MethodDecl" ? lists[1] : lists[0];
  const result = children.slice(children.findIndex(({ from }) => from === parameters?.from) + 1, -1).at(0);
  if (result === undefined || result.from >= body.from) return "if true { return };";
  if (result.name !== "Parameters") return `if true { return *new(${text.slice(result.from, result.to)}) };`;
  const results = childrenOf(result).filter(({ name }) => name === "Parameter");
  const isNamed = results.some((one) => one.firstChild?.name === "DefName" && one.firstChild.nextSibling !== null);
  if (isNamed) return "if true { return };";
  return `if true { return ${results.map(({ from, to }) => `*new(${text.slice(from, to)})`).join(", ")} };`;
}

function javaValue(node: SyntaxNode, text: string): string {
  const type = childrenOf(node).find(({ name }) => /Type|^void$/.test(name) && name !== "Modifiers");
  const name = type === undefined ? "" : text.slice(type.from, type.to);
  if (name === "void") return "";
  if (name === "boolean") return " false";
  if (name === "char") return " '\\0'";
  return /^(?:byte|short|int|long|float|double)$/.test(name) ? " 0" : " null";
}

function phpReturn(head: string): string {
  const type = /\)\s*:\s*(\??[\w\\|]+)\s*$/.exec(head)?.[1] ?? "";
  const values: Readonly<Record<string, string>> = {
    void: "return;",
    int: "return 0;",
    float: "return 0.0;",
    string: "return '';",
    bool: "return false;",
    array: "return [];",
  };
  return values[type.toLowerCase()] ?? "return null;";
}

/** A value at the top of a file, or of an object or class there. */
function emptyValue({ language, isTyped, text }: Parsed, node: SyntaxNode): Edit | null {
  if (node.parent === null) return null;
  const isTop = node.parent.name === "Script" || node.parent.parent?.name === "Script";
  if (language === "python" && node.name === "AssignStatement" && isTop) {
    const value = node.lastChild;
    const isPlain = text.slice(node.from, node.to).includes("=");
    return value === null || !isPlain ? null : { from: value.from, to: value.to, text: "None" };
  }
  if (language !== "javascript" || node.name !== "VariableDeclaration" || !isTop) return null;
  const equals = childrenOf(node).find(({ name }) => name === "Equals");
  const value = equals?.nextSibling ?? null;
  if (
    value === null ||
    /Function|^(?:await|CallExpression|AwaitExpression|ClassExpression|NewExpression)/.test(value.name)
  )
    return null;
  return { from: value.from, to: value.to, text: isTyped ? "(undefined as any)" : "undefined" };
}
