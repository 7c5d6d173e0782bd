import type { SyntaxNode } from "@lezer/common";
import { type Edit, linesOf } from "./edit.ts";
import { childrenOf, type Parsed, walkTree } from "./grammars.ts";
import { type LineVersion, listLineVersions } from "./line-versions.ts";

/** How assertions are called in the libraries of these languages. */
const assertion =
  /\b(?:[aA]ssert\w*|expect\w*|should|require(?=\.)|must|check|verify|is|equal\w*|deepEqual|same|ok|t\.(?:Error|Fatal)\w*|[A-Z]\w*\.(?:Equal|True|False|That)\w*|(?:[A-Z]+_)?(?:ASSERT|EXPECT|CHECK|REQUIRE)\w*|TEST)\b/;
/** Assertions that only ask whether a value is true or false. */
const asksTruth =
  /(?:^|[.\s>:])(?:assert|ok|isOk|is(?:True|False)|[aA]ssert\.?[tT]rue|[aA]ssert\.?[fF]alse|assert_?(?:true|false)|True|False|TEST|(?:[A-Z]+_)?(?:ASSERT|EXPECT|CHECK|REQUIRE)(?:_(?:TRUE|FALSE))?(?:_MESSAGE)?)$/;
/** Assertions of one other thing: that it is null, empty or there. */
const asksOne = /(?:[nN]ull|NULL|[nN]il|None|NaN|[eE]mpty|EMPTY|[uU]ndefined|[eE]xists?)(?:_MESSAGE)?$/;
const call =
  /^(?:CallExpression|CallExpr|MethodInvocation|MacroInvocation|AssertStatement|FunctionCallExpression|ExpressionStatement)$/;
const innerCall =
  /^(?:CallExpression|CallExpr|MethodInvocation|FunctionCallExpression|NewExpression|ObjectCreationExpression|MacroInvocation)$/;
const argumentList = /^(?:ArgList|ArgumentList|Arguments|ParenthesizedTokens)$/;
const literal =
  /^(?:String|StringLiteral|TemplateString|FormatString|Number|Integer|IntegerLiteral|Float|BooleanLiteral|Boolean|true|false)$/;

/** What AssertJ is given as the words of an assertion. */
const describes = /\.(?:as|describedAs|withFailMessage|overridingErrorMessage)$/;

/** An assertion in the text, and the place of its words: no literal of it can be what is compared with. */
interface Assertion {
  readonly from: number;
  readonly to: number;
  readonly node: SyntaxNode;
}

/**
 * The assertions of a test, each with one thing made wrong. What a test compares with is an expectation, and so is the
 * truth of what it asserts, which is turned round; the last literal of an assertion comes first, since most libraries take
 * what is expected last. Literals that the work is called with come after all of these, as `words`: another input may
 * well have the same result. A comparison in front of a reported error, as tests in Go are written, counts as an assertion.
 */
export function listWrongExpectations(parsed: Parsed, every: ReadonlySet<number>): LineVersion[] {
  const lines = linesOf(parsed.text);
  const found: Assertion[] = [];
  walkTree(parsed.top, (node) => {
    const range = saysNever(parsed, node) ? null : assertionRange(parsed, node);
    if (range !== null && !saysNot(parsed, range)) found.push({ ...range, node });
    return range === null;
  });
  const versions = listLineVersions(parsed, every).filter(
    ({ edit }) => literalAt(parsed, edit.from, edit.to) && every.has(lines.lineAt(edit.from)),
  );
  const all = found.flatMap((one): LineVersion[] => {
    const inside = versions.filter(({ edit }) => edit.from >= one.from && edit.to <= one.to).reverse();
    const compared = asksOrder(parsed, one) ? [] : inside.filter(({ edit }) => isCompared(parsed, one, edit));
    const turned = compared.length === 0 ? turnRound(parsed, one) : null;
    const line = lines.lineAt(one.from);
    const truth: LineVersion[] =
      turned === null || !every.has(line)
        ? []
        : [{ line, was: "what is true", made: "what is not", edit: turned, change: "value" }];
    const inputs = inside.filter((version) => !compared.includes(version));
    return [
      ...compared.map((version): LineVersion => ({ ...version, change: "value" })),
      ...truth,
      ...inputs.map((version): LineVersion => ({ ...version, change: "words" })),
    ];
  });
  return [...all.filter(({ change }) => change === "value"), ...all.filter(({ change }) => change !== "value")];
}

function assertionRange({ text, language }: Parsed, node: SyntaxNode): { from: number; to: number } | null {
  if (language === "go" && node.name === "IfStatement") {
    const body = text.slice(node.from, node.to);
    return /\b[tb]\.(?:Error|Fatal)\w*\(/.test(body) ? { from: node.from, to: node.from + body.indexOf("{") } : null;
  }
  if (!call.test(node.name)) return null;
  const open = text.indexOf("(", node.from);
  const head = text.slice(node.from, open === -1 || open > node.to ? node.to : open);
  if (node.name === "AssertStatement") return { from: node.from, to: node.to };
  // `expect(x).toBe(1)`: what is called is itself a call.
  return assertion.test(head) || /^\s*expect\b/.test(text.slice(node.from, node.to))
    ? { from: node.from, to: node.to }
    : null;
}

function literalAt({ top }: Parsed, from: number, to: number): boolean {
  const node = top.resolve(from, 1);
  return literal.test(node.name) && node.from === from && node.to === to;
}

/** Not what another call gets, and no message: a text after what is compared. */
function isCompared({ top, text, language }: Parsed, { from, node }: Assertion, edit: Edit): boolean {
  const own = top.resolve(edit.from, 1);
  let lists = 0;
  for (let at = own; at.parent !== null && at.from >= from; at = at.parent) {
    const { parent } = at;
    if (argumentList.test(parent.name)) {
      const isCall =
        parent.name !== "ParenthesizedTokens" && parent.parent !== null && innerCall.test(parent.parent.name);
      lists += 1;
      if ((isCall && (parent.parent?.from ?? from) > from) || (!isCall && lists > 1)) return false;
      const head = headOf(text, at, from);
      if (describes.test(head)) return false;
      const compared = asksTruth.test(head) || asksOne.test(head) ? 1 : 2;
      // `expect(x, "message").to.be.true`
      const isSubject = head === "expect" && text[parent.to] === ".";
      if (isMessage(at, isSubject ? 1 : compared)) return false;
      if (language === "java" && !messageLast.test(text) && isFirstMessage(at, compared)) return false;
    }
    if (parent.from <= from && parent.to >= node.to) break;
  }
  // `EXPECT_TRUE(x) << "message"`
  if (language === "cpp" && lists === 0 && /<<\s*$/.test(text.slice(from, edit.from))) return false;
  return !(node.name === "AssertStatement" && afterComma(own, node));
}

/** What is called with the list that this is in. */
function headOf(text: string, at: SyntaxNode, from: number): string {
  return text
    .slice(from, at.parent?.from ?? from)
    .replace(/!\s*$/, "")
    .trim();
}

/** A text after what is compared: the second thing in the list of an assertion of truth, else the third, or a later one. */
function isMessage(at: SyntaxNode, compared: number): boolean {
  // In JUnit 5 a function may give it; in Rust, what is put into it follows.
  const canBe = isText(at) || at.name === "LambdaExpression" || at.parent?.name === "ParenthesizedTokens";
  return canBe && countBefore(at) >= compared;
}

/** Also one that is joined to something, or filled in. */
function isText({ name, firstChild }: SyntaxNode): boolean {
  const isJoined = name === "BinaryExpression" && firstChild?.nextSibling?.name === "ArithOp";
  return /String/.test(name) || (isJoined && isText(firstChild));
}

/** How many things stand in the list before this one. */
function countBefore(at: SyntaxNode): number {
  let before = 0;
  for (let one = at.prevSibling; one !== null; one = one.prevSibling) if (one.name === ",") before += 1;
  return before;
}

/** Libraries of Java that take the message last. */
const messageLast = /^import (?:static )?org\.(?:junit\.jupiter|testng)\./m;

/** As JUnit 4 has it: a text before what is compared. */
function isFirstMessage(at: SyntaxNode, compared: number): boolean {
  const last = at.parent?.lastChild?.prevSibling ?? at;
  return isText(at) && countBefore(at) === 0 && countBefore(last) >= compared && (compared === 1 || !isText(last));
}

function afterComma(own: SyntaxNode, statement: SyntaxNode): boolean {
  return childrenOf(statement).some(({ name, from }) => name === "," && from < own.from);
}

/** The first thing that an assertion of truth gets, turned round; null for any other assertion. */
function turnRound({ text, language }: Parsed, { node }: Assertion): Edit | null {
  const not = (from: number, to: number): Edit => ({
    from,
    to,
    text: language === "python" ? `not (${text.slice(from, to)})` : `!(${text.slice(from, to)})`,
  });
  if (node.name === "AssertStatement") {
    const asserted = node.firstChild?.nextSibling ?? null;
    return asserted === null ? null : not(asserted.from, asserted.to);
  }
  const list = truthList(text, node);
  if (list === null) return null;
  const begin = list.firstChild?.nextSibling ?? null;
  const isSaid = begin !== null && isText(begin) && begin.nextSibling?.name === ",";
  const first = isSaid ? (begin.nextSibling?.nextSibling ?? null) : begin;
  if (first === null || first.name === ")") return null;
  let last = first;
  for (let one = first.nextSibling; one !== null && one.name !== "," && one.name !== ")"; one = one.nextSibling)
    last = one;
  return not(first.from, last.to);
}

/** What an assertion of truth gets; null for any other assertion. */
function truthList(text: string, node: SyntaxNode): SyntaxNode | null {
  const inner = node.name === "ExpressionStatement" ? (node.firstChild ?? node) : node;
  const list = childrenOf(inner).findLast(({ name }) => argumentList.test(name));
  return list !== undefined && asksTruth.test(headOf(text, list.firstChild ?? list, inner.from)) ? list : null;
}

const quoted = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/g;
/** For example `assertNotIn`, `not.toBe`, `doesNotMatch`, `notEqual`, `assert_ne!`, `EXPECT_NE`, `refute_includes`. */
const negative =
  /\bnot(?=[A-Z.])|\bnot in\b|\b(?:refute|wont)\w*|\.ne\(|[a-z]Not(?=[A-Z(_])|_(?:not|NOT|ne|NE)(?=[_!(]|\b)/;

/** Whether it says what must not be: any other value is not there either, so a right test does not notice one. */
function saysNot({ text, language }: Parsed, { from, to }: { readonly from: number; readonly to: number }): boolean {
  const words = text.slice(from, to).replace(quoted, '""');
  // The condition under which an error is reported.
  if (language === "go" && words.startsWith("if")) return words.includes("==") && !words.includes("!");
  return negative.test(words) || words.includes("!=");
}

/**
 * For example `assertGreater`, `toBeLessThanOrEqual`, `at.least`, `.gte(`, `EXPECT_LT`: the assertion itself, or what is called
 * on it, and not `lossless(` in what it gets.
 */
const ordering =
  /(?:^[\w.$:>!-]*|\)\s*(?:\.|->|::)[\w\s.!]*)(?:(?:\b|_|(?<=[a-z])(?=[A-Z]))(?:[gG]reater|[lL]ess|[aA]bove|[bB]elow|(?:[aA]t_?)?(?:[lL]east|[mM]ost)|[gl][te]e?)(?:(?:Than|Equal|Or)\w*)?|_[GL][TE])!?\(/;

/** Whether it says on which side of a bound a value lies: with the next bound a right test may well pass. */
function asksOrder({ text, language }: Parsed, { from, to, node }: Assertion): boolean {
  const words = text.slice(from, to).replace(quoted, '""');
  const isTruth =
    language === "go" ? !words.includes("!=") : node.name === "AssertStatement" || truthList(text, node) !== null;
  return ordering.test(words) || (isTruth && /\s[<>]=?\s/.test(words));
}

/** `assert(0)` is written where nothing may come. */
function saysNever({ text }: Parsed, node: SyntaxNode): boolean {
  const list = truthList(text, node);
  const only = list?.firstChild?.nextSibling ?? null;
  return only !== null && literal.test(only.name) && only.nextSibling?.to === list?.to;
}
