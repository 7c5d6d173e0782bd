// Lists the mutants of one compiled file: each is one small change that a test should notice. It works on the text that
// tsc prints, which has one statement a line, and never touches what is in strings, templates, regular expressions
// and comments.

/** A mutant: `text` from `start` to `end` of the file becomes `to`. */
export function findMutants(code) {
  const plain = hideText(code);
  const found = [...swapWords(code, plain), ...dropStatements(code, plain), ...swapArguments(code, plain)];
  return found
    .map((mutant) => ({ ...mutant, ...placeOf(code, mutant.start) }))
    .filter(({ lineText }) => !/^(import|export \{|export \*)/.test(lineText))
    .sort((left, right) => left.start - right.start || left.end - right.end);
}

const words = [
  ["equality", /(?<= )(===|!==)(?= )/g, (word) => (word === "===" ? "!==" : "===")],
  ["bound", /(?<= )(<|<=|>|>=)(?= )/g, (word) => (word.endsWith("=") ? word.slice(0, -1) : `${word}=`)],
  ["logic", /(?<= )(&&|\|\|)(?= )/g, (word) => (word === "&&" ? "||" : "&&")],
  ["boolean", /(?<![.\w$])(true|false)(?![\w$:])/g, (word) => (word === "true" ? "false" : "true")],
  ["by one", /(?<= )[+-](?= 1\b(?![.\w]))/g, (word) => (word === "+" ? "-" : "+")],
  ["negation", /(?<=[(\s])!(?=[\w$(])/g, () => ""],
  ["emptied array", /(?<=[=(:?,] ?|return )\[[^[\]\n]+\](?! =[^=]|\))/g, () => "[]"],
];

function swapWords(code, plain) {
  return words.flatMap(([kind, pattern, change]) =>
    [...plain.matchAll(pattern)].map(({ 0: word, index }) => {
      const from = code.slice(index, index + word.length);
      return { kind, start: index, end: index + word.length, from, to: change(from) };
    }),
  );
}

/** A statement of one line that returns, throws, waits or calls; a `return` after `if (...)` too. */
function dropStatements(code, plain) {
  const statement = /(?<=^[ ]+(?:if \(.*\)\n?[ ]*|else\n?[ ]*)?)(return\b|throw |(?:await )?[\w$][\w$.?]*\()[^\n]*;$/gm;
  return [...plain.matchAll(statement)].flatMap(({ 0: text, 1: word, index }) => {
    const kind = word.endsWith("(") ? "removed call" : `removed ${word.trim()}`;
    const from = code.slice(index, index + text.length);
    return isWhole(text) ? [{ kind, start: index, end: index + text.length, from, to: ";" }] : [];
  });
}

/** `f(a, b)` becomes `f(b, a)`. */
function swapArguments(code, plain) {
  const call = /(?<=(?<!function |Math\.)\b[\w$]+)\(([\w$.]+), ([\w$.]+)\)(?! \{)/g;
  return [...plain.matchAll(call)]
    .filter(({ 0: text, 1: left, 2: right, index }) => left !== right && code.startsWith(text, index))
    .map(({ 0: from, 1: left, 2: right, index }) => {
      return { kind: "swapped arguments", start: index, end: index + from.length, from, to: `(${right}, ${left})` };
    });
}

/** True if every bracket that the text opens is closed in it. */
function isWhole(text) {
  let depth = 0;
  for (const sign of text) {
    if ("([{".includes(sign)) depth += 1;
    if (")]}".includes(sign)) depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function placeOf(code, start) {
  const before = code.slice(0, start);
  const line = before.split("\n").length;
  const column = start - before.lastIndexOf("\n");
  return { line, column, lineText: (code.split("\n")[line - 1] ?? "").trim() };
}

/** The same text, as long as it was, with `_` for each character of strings, templates, patterns and comments. */
export function hideText(code) {
  const hidden = [...code];
  const hide = (from, to) => {
    for (let at = from; at < to; at += 1) if (hidden[at] !== "\n") hidden[at] = "_";
  };
  const holes = [];
  let last = "";
  for (let at = 0; at < code.length; ) {
    const end = textEnd(code, at, last, holes);
    if (end === null) {
      const sign = code[at];
      if (sign === "{") holes.push("block");
      if (sign === "}") holes.pop();
      if (!/\s/.test(sign)) last = /\w/.test(sign) && /\w/.test(code[at - 1] ?? "") ? last + sign : sign;
      at += 1;
    } else {
      hide(at, end);
      at = end;
      last = "x";
    }
  }
  return hidden.join("");
}

/** Where the string, template, pattern or comment that begins here ends; null if none begins here. */
function textEnd(code, at, last, holes) {
  const two = code.slice(at, at + 2);
  if (two === "//") return orEnd(code.indexOf("\n", at), code);
  if (two === "/*") return orEnd(code.indexOf("*/", at) + 2, code);
  if (code[at] === '"' || code[at] === "'") return match(/(["'])(?:\\.|(?!\1).)*\1/sy, code, at);
  if (code[at] === "/" && /^(|[=(,:[!&|?{};]|return|typeof|case)$/.test(last)) {
    return match(/\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[\n])+\/\w*/y, code, at);
  }
  const resumes = code[at] === "}" && holes.at(-1) === "template";
  if (code[at] !== "`" && !resumes) return null;
  if (resumes) holes.pop();
  const end = match(/[`}](?:\\.|(?!`|\$\{).)*(?:`|\$\{)/sy, code, at);
  if (end !== null && code[end - 1] === "{") holes.push("template");
  return end;
}

function match(pattern, code, at) {
  pattern.lastIndex = at;
  return pattern.test(code) ? pattern.lastIndex : null;
}

function orEnd(end, code) {
  return end < 1 ? code.length : end;
}
