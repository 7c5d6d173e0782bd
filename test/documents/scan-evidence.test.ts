import assert from "node:assert/strict";
import { test } from "node:test";
import { isEvidencePlain } from "../../lib/documents/scan-evidence.ts";

const begin = "<!-- task-phase:begin checks -->";
const end = "<!-- task-phase:end checks -->";
const part = `${begin}\n\n| a |\n\n${end}\n`;

const plain: Readonly<Record<string, string>> = {
  "no mark": "# Evidence\n\ntext\n",
  "one part": `# Evidence\n\n${part}\nmore\n`,
  "two parts": `${part}\n${part.replaceAll("checks", "log")}`,
  "a part right behind another": `${begin}\n${end}\n${begin.replace("checks", "log")}\n${end.replace("checks", "log")}\n`,
  "a comment": `<!-- one\ntwo -->\n${part}`,
  "a comment on one line": `<!-- one -->\n${part}`,
};

const undecided: Readonly<Record<string, string>> = {
  "front matter": `---\n${part}`,
  "a part that is never closed": `${begin}\n`,
  "an end without a beginning": `${end}\n`,
  "a part in a part": `${begin}\n\n${part.replaceAll("checks", "log")}\n${end}\n`,
  "another name at its end": `${begin}\n\n${end.replace("checks", "log")}\n`,
  "the same name twice": `${part}\n${part}`,
  "a mark right behind text": `text\n${part}`,
  "a mark with text beside it": `text ${begin}\n`,
  "a mark of another form": "<!-- task-phase:begin Checks -->\n",
  "a mark in a comment": `<!-- x\n${begin}\n-->\n`,
  "a comment right behind text": "text\n<!-- x -->\n",
  "a comment that ends in the middle of a line": "<!-- x --> y\n",
  "a comment that is never closed": "<!-- x\n",
  "an empty comment of HTML": "<!-->\n",
  "a fence": "```\n",
  "a fence of tildes": "a ~~~\n",
  "a tag of a raw block": "<PRE>\n",
  "a declaration": "<!DOCTYPE html>\n",
};

for (const [what, text] of Object.entries(plain))
  test(`an EVIDENCE.md with ${what} is plain`, () => assert.ok(isEvidencePlain(text)));

for (const [what, text] of Object.entries(undecided))
  test(`an EVIDENCE.md with ${what} is left to the parser`, () => assert.ok(!isEvidencePlain(text)));
