import assert from "node:assert/strict";
import { test } from "node:test";
import { isSameButLayout } from "../../lib/text/json-layout.ts";
import { sha256 } from "../../lib/text/sha256.ts";

test("space between the tokens of JSON is layout, and everything else is not", () => {
  const write = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const text = write({ a: "x y", b: [1, null] });
  const judge = (other: string) =>
    isSameButLayout(Buffer.from(other), sha256(text), () => write(JSON.parse(other) as unknown));
  for (const same of [text, '{"a":"x y","b":[1,null]}', text.replaceAll("\n", "\r\n"), `\n\t${text} `])
    assert.equal(judge(same), true, same);
  for (const other of [
    '{"a":"xy","b":[1,null]}',
    '{"b":[1,null],"a":"x y"}',
    '{"a":"lie","a":"x y","b":[1,null]}',
    '{"a":"x\\u0020y","b":[1,null]}',
    '{"a":"x y","b":[1.0,null]}',
    '{"a":"x y","b":[1,1e999]}',
  ])
    assert.equal(judge(other), false, other);
});
