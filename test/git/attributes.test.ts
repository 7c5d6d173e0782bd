import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyForShow } from "../../lib/git/attributes.ts";

const harmless = [
  "",
  "# * text\n",
  "*/artifacts/** linguist-generated -diff\r\n",
  '"a b" diff\n*\n* linguist-language=Text !diff\n',
];
const others = [
  "* text\n",
  "a -text\n",
  "* linguist-generated eol=lf\n",
  "* diff=driver\n",
  "* filter=lfs\n",
  "* binary\n",
  "* merge=ours\n",
  "[attr]x text\n",
  '"a b" ident\n',
  "* ours\n",
];

test("rules that only name files are distinguished from those that change what git writes", () => {
  assert.deepEqual(harmless.filter(onlyForShow), harmless);
  assert.deepEqual(others.filter(onlyForShow), []);
});
