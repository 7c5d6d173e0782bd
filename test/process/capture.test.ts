import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { openCapture } from "../../lib/process/capture.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { withoutMarks } from "../../lib/text/terminal-marks.ts";
import { makeFolder } from "./arrange.ts";

const plain = createRedactor({});

function capture(folder: string, pieces: readonly (Uint8Array | string)[], capBytes: number, redactor = plain) {
  const path = join(folder, "out.log");
  const captured = openCapture(path, capBytes, redactor);
  for (const piece of pieces) captured.write(Buffer.from(piece));
  const stream = captured.end();
  captured.close();
  return { stream, tail: captured.tail(), text: readFileSync(path, "utf8") };
}

const pieces = (text: string, length: number): string[] => text.match(new RegExp(`[^]{1,${length}}`, "g")) ?? [];

test("output within the cap stands in the file as it came", (t: TestContext) => {
  assert.deepEqual(capture(makeFolder(t), ["one\n", "two"], 100), {
    stream: { bytes: 7, keptBytes: 7, cut: false },
    tail: "one\ntwo",
    text: "one\ntwo",
  });
});

test("a process that says nothing leaves an empty file", (t) => {
  assert.deepEqual(capture(makeFolder(t), [], 100), {
    stream: { bytes: 0, keptBytes: 0, cut: false },
    tail: "",
    text: "",
  });
});

test("output of exactly the cap is not cut, one byte more is cut in the middle", (t) => {
  const folder = makeFolder(t);
  assert.deepEqual(capture(folder, ["01234", "56789"], 10).text, "0123456789");
  assert.deepEqual(capture(folder, ["01234", "567890"], 10), {
    stream: { bytes: 11, keptBytes: 10, cut: true },
    tail: "01234567890",
    text: "01234\n[task-phase: 1 bytes cut here]\n67890",
  });
});

test("long output keeps its beginning and its end", (t) => {
  const line = (n: number): string => `line ${String(n).padStart(7, "0")}\n`;
  const all = Array.from({ length: 50_000 }, (_, n) => line(n)).join("");
  const { stream, text, tail } = capture(makeFolder(t), pieces(all, 9_999), 1_300);
  assert.deepEqual(stream, { bytes: 650_000, keptBytes: 1_300, cut: true });
  assert.equal(text, `${all.slice(0, 650)}\n[task-phase: 648700 bytes cut here]\n${all.slice(-650)}`);
  assert.equal(tail, all.slice(-1_300).slice(-tail.length));
});

test("however the stream is cut into chunks, the file is the same", (t) => {
  const folder = makeFolder(t);
  const arbitrary = fc.record({
    text: fc.string({ unit: "grapheme", maxLength: 80 }),
    length: fc.integer({ min: 1, max: 20 }),
  });
  fc.assert(
    fc.property(arbitrary, ({ text, length }) => {
      const bytes = Buffer.from(text, "utf8");
      const chunks = Array.from({ length: Math.ceil(bytes.length / length) }, (_, n) =>
        bytes.subarray(n * length, (n + 1) * length),
      );
      assert.deepEqual(capture(folder, chunks, 40), capture(folder, [bytes], 40));
    }),
    { numRuns: 40 },
  );
});

test("a cut never parts a character", (t) => {
  const { text } = capture(makeFolder(t), ["ééééééééééé"], 10);
  assert.equal(text, "éé\n[task-phase: 14 bytes cut here]\néé");
});

test("bytes that are no UTF-8 become replacement characters, and colours stay as they are", (t) => {
  const { text } = capture(makeFolder(t), [Buffer.from([0x61, 0xff, 0xc3]), "\u001b[31mred\u001b[0m"], 100);
  assert.equal(text, "a\ufffd\ufffd\u001b[31mred\u001b[0m");
});

test("a secret that arrives in two chunks does not reach the disk", (t) => {
  const redactor = createRedactor({ DEPLOY_TOKEN: "correct-horse-battery" });
  const { text, tail } = capture(makeFolder(t), ["token correct-ho", "rse-battery end"], 200, redactor);
  assert.equal(text, "token [redacted:env] end");
  assert.equal(tail, text);
});

test("a secret where the middle was cut away does not reach the disk, not even its end", (t) => {
  const secret = `sekret-${"abcdefgh".repeat(4_000)}`;
  const redactor = createRedactor({ DEPLOY_TOKEN: secret });
  for (const after of [100, 40_000, 81_000, 90_000, 113_000]) {
    const { text, tail } = capture(
      makeFolder(t),
      [..."x".repeat(400).split(""), secret, "-".repeat(after)],
      60_000,
      redactor,
    );
    assert.equal(/abcdefgh/.test(text + tail), false, `${after} bytes after the secret`);
  }
});

test("the kept end is whole, even if characters and secrets are split between reads", (t) => {
  const redactor = createRedactor({ DEPLOY_TOKEN: "correct-horse-battery" });
  // Characters of three bytes, which no power of two parts evenly.
  const line = "€ correct-horse-battery €\n";
  const kept = "€ [redacted:env] €\n";
  const all = line.repeat(40_000);
  const { stream, text, tail } = capture(makeFolder(t), pieces(all, 50_001), 400_000, redactor);
  const [, end = ""] = text.split(/\n\[task-phase: \d+ bytes cut here\]\n/);
  assert.equal(stream.cut, true);
  for (const one of [end, tail]) {
    assert.ok(Buffer.byteLength(one) > 65_000);
    assert.equal(kept.repeat(40_000).endsWith(one), true);
  }
});

test("neither a colour in the middle of a secret nor a cut through it leaves a part of it readable", (t) => {
  const folder = makeFolder(t);
  const secret = "corréct-horse-battery-staple";
  const redactor = createRedactor({ DEPLOY_TOKEN: secret });
  const coloured = `${secret.slice(0, 8)}\u001b[01;31m\u001b[K${secret.slice(8, 20)}\u001b[m\u001b[K${secret.slice(20)}`;
  const parts = Array.from({ length: secret.length - 5 }, (_, at) => secret.slice(at, at + 6));
  for (const said of [secret, coloured]) {
    const bytes = Buffer.from(said);
    // Through the place where the first half ends, and through that where the last half begins.
    for (let before = 0; before <= 60; before += 4) {
      for (const after of [10, 400, 200_000]) {
        const all = Buffer.concat([Buffer.from("x".repeat(before)), bytes, Buffer.from(`-${"y".repeat(after)}`)]);
        const cut = before + (before % bytes.length);
        const { text, tail } = capture(folder, [all.subarray(0, cut), all.subarray(cut)], 60, redactor);
        const seen = withoutMarks(text) + withoutMarks(tail);
        assert.deepEqual(
          parts.filter((part) => seen.includes(part)),
          [],
          `${before} before, ${after} after`,
        );
      }
    }
  }
});

test("remarks stand around the output and are not counted", (t) => {
  const path = join(makeFolder(t), "out.log");
  const captured = openCapture(path, 10, createRedactor({ DEPLOY_TOKEN: "correct-horse-battery" }));
  captured.remark("$ run correct-horse-battery\n");
  captured.write(Buffer.from("output"));
  const stream = captured.end();
  captured.remark("\n[end]\n");
  captured.close();
  assert.equal(readFileSync(path, "utf8"), "$ run [redacted:env]\noutput\n[end]\n");
  assert.deepEqual(stream, { bytes: 6, keptBytes: 6, cut: false });
  assert.equal(captured.tail(), "output");
});

test("a link in the place of the file is replaced, and what it named stays", (t) => {
  const folder = makeFolder(t);
  const precious = join(folder, "precious");
  writeFileSync(precious, "mine");
  symlinkSync(precious, join(folder, "out.log"));
  assert.equal(capture(folder, ["output"], 100).text, "output");
  assert.equal(readFileSync(precious, "utf8"), "mine");
  assert.equal(statSync(join(folder, "out.log")).mode & 0o777, 0o644);
});

test("a place that cannot be written is reported on close, and throws nowhere else", (t) => {
  const folder = makeFolder(t);
  mkdirSync(join(folder, "out.log"));
  const captured = openCapture(join(folder, "out.log"), 100, plain);
  captured.write(Buffer.from("lost"));
  assert.equal(captured.failed(), true);
  captured.end();
  assert.throws(() => captured.close(), {
    name: "TaskPhaseError",
    message: /^cannot keep the output of a program: .*directory/,
  });
});
