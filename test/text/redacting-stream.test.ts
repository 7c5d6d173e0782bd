import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createRedactor } from "../../lib/text/redact.ts";
import { withoutMarks } from "../../lib/text/terminal-marks.ts";
import { base64Lines, letters, plain, tokens } from "./secret-samples.ts";

const env = {
  A_TOKEN: "s3cr3t-value",
  B_SECRET: "[redacted",
  C_KEY: "x[/@y]: z",
  D_PASSWORD: "Authorization",
  E_KEY: "redacted",
};
const filler = fc.constantFrom(
  "\n",
  " ",
  "a",
  "://u:",
  "@",
  "Authorization: Bearer ",
  "[",
  "]",
  "[redacted:env]",
  "redacted:",
  "😀",
  '"',
  "\\n",
  "x-api-key: ",
  "\u001b[01;31m\u001b[K",
  "\u001b[m",
  "\u001b]8;;https://me:pa55@host/\u0007",
  "\u001b]",
  "\\u001b[1m",
  "\\\\u001",
  "\u001b",
  "-----BEGIN PRIVATE KEY-----",
  "-----END PRIVATE KEY-----",
  "sk-",
  "eyJ",
  ".",
  "_",
  "-",
);
const piece = fc.oneof(
  filler,
  fc.constantFrom(...Object.values(tokens), ...Object.values(env), base64Lines(3)),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.nat({ max: 40_000 }).map((count) => "word ".repeat(count / 5)),
  fc.nat({ max: 3000 }).map(letters),
);
const text = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(""));

describe("a redacting stream", () => {
  const redactor = createRedactor(env);

  it("gives what redacting the whole gives, however the text is cut, and holds back less than 64 Ki", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 20_000 }), { minLength: 1, maxLength: 8 }), (whole, sizes) => {
        const stream = redactor.stream();
        const out: string[] = [];
        for (let at = 0, turn = 0; at < whole.length; turn += 1) {
          const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
          out.push(stream.push(whole.slice(at, at + size)));
          at += size;
        }
        out.push(stream.end());
        assert.equal(out.join(""), redactor.redact(whole));
      }),
      { numRuns: 50 },
    );
    const stream = redactor.stream();
    const long = "many words and nothing else ".repeat(10_000);
    assert.ok(long.length - stream.push(long).length < 65_536);
  });

  it("gives the same one character at a time", () => {
    const whole = `${"x".repeat(40_000)} ${Object.values(tokens).join(" ")} ${"y".repeat(10_000)}`;
    const stream = redactor.stream();
    const out = Array.from(whole, (character) => stream.push(character)).join("") + stream.end();
    assert.equal(out, redactor.redact(whole));
  });

  it("sees what lies across the places where it cuts", () => {
    const secrets = [...Object.values(tokens), "authorization: bearer abcdefgh12345", "db://me:p@ssw0rd@host/"].join(
      "\n",
    );
    const expected = redactor.redact(secrets);
    for (let before = 16_384 - secrets.length; before < 17_400; before += 23) {
      const [head, rest] = ["-".repeat(before), "-".repeat(50_000)];
      const whole = `${head} ${secrets}\n${rest}`;
      const stream = redactor.stream();
      const out: string[] = [];
      for (let at = 0; at < whole.length; at += 1000) out.push(stream.push(whole.slice(at, at + 1000)));
      out.push(stream.end());
      assert.ok(out.join("") === `${head} ${expected}\n${rest}`, `after ${before} characters`);
    }
  });

  it("knows a token of which only the first letters were there when it searched", () => {
    for (const token of [tokens.github ?? "", tokens.jwt ?? "", env.A_TOKEN]) {
      for (let known = 1; known <= 12; known += 1) {
        const stream = redactor.stream();
        const head = `${"-".repeat(49_152 - known - 1)} `;
        const out = stream.push(head + token.slice(0, known)) + stream.push(token.slice(known)) + stream.end();
        assert.ok(out === head + redactor.redact(token), `${token.slice(0, known)} were there`);
      }
    }
  });

  it("never cuts a surrogate pair, so that each piece can be encoded alone", () => {
    for (const last of ["", "x"]) {
      const stream = redactor.stream();
      const whole = `${"😀".repeat(60_000)}${last}`;
      const out = [stream.push(whole), stream.push(whole), stream.end()];
      assert.deepEqual(
        out.map((part) => Buffer.from(part).toString() === part),
        [true, true, true],
      );
      assert.equal(out.join(""), whole + whole);
    }
  });

  it("changes nothing when it is done twice", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const once = redactor.redact(whole);
        assert.equal(redactor.redact(once), once);
      }),
      { numRuns: 80 },
    );
  });

  it("leaves no token of a known shape behind", () => {
    const separator = fc.constantFrom(" ", "\n", '"', "=", ", ", "\\n");
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(tokens)),
        separator,
        separator,
        text,
        (token, before, after, rest) => {
          assert.ok(redactor.redact(`${before}${token}${after}${rest}`).startsWith(`${before}[redacted:`));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("a secret that marks of a terminal part", () => {
  const value = "correct-horse-battery";
  const redactor = createRedactor({ A_TOKEN: value });
  const marks = [
    "\u001b[01;31m\u001b[K",
    "\u001b[m",
    "\u001b(B",
    "\u001b]8;;https://example.com\u0007",
    "\\u001b[1m",
    "\\\\x1b[0m",
  ];

  it("is replaced wherever they stand in it, and they stay", () => {
    for (const [shape, secret] of [...Object.entries(tokens), ["env", value] as const]) {
      for (const mark of marks) {
        for (let at = 1; at < secret.length; at += Math.ceil(secret.length / 60)) {
          assert.equal(
            redactor.redact(`a b=${secret.slice(0, at)}${mark}${secret.slice(at)}; c${mark}`),
            `a b=[redacted:${shape}]${mark}; c${mark}`,
          );
        }
      }
    }
  });

  it("is replaced where there is one at every character", () => {
    const [red, reset] = ["\u001b[31m", "\u001b[0m"];
    const coloured = Array.from(`x ${tokens.github} y`, (letter) => red + letter + reset).join("");
    assert.equal(withoutMarks(plain.redact(coloured)), "x [redacted:github] y");
    assert.equal(withoutMarks(plain.redact(coloured)), plain.redact(withoutMarks(coloured)));
  });

  it("is seen where it begins at a mark behind another word, and goes on behind the next", () => {
    const token = tokens.github ?? "";
    for (const at of [2, 10, 30]) {
      assert.equal(
        plain.redact(`word\u001b[1m${token.slice(0, at)}\u001b[0m${token.slice(at)}.`),
        "word\u001b[1m[redacted:github]\u001b[0m.",
      );
    }
  });

  it("is replaced within the address of a link, and its place is reported", () => {
    const link = (address: string): string =>
      `\u001b[1mone\u001b[0m\n\u001b]8;;${address}\u001b\\here\u001b]8;;\u001b\\`;
    const text = link(`https://me:hunter22@host/${tokens.npm}`);
    assert.equal(plain.redact(text), link("https://me:[redacted:url-password]@host/[redacted:npm]"));
    assert.deepEqual(plain.findSecrets(`${text} \u001b[1m${tokens.aws}`), [
      { shape: "url-password", line: 2, column: 17 },
      { shape: "npm", line: 2, column: 31 },
      { shape: "aws", line: 2, column: (text.split("\n")[1] ?? "").length + 6 },
    ]);
  });

  it("cannot be parted by marks without end, which would take memory without end", () => {
    const stream = redactor.stream();
    const many = "\u001b[1m".repeat(100_000);
    const out = [stream.push(`a${many}`), stream.push(` ${value} ${many}`), stream.end()];
    assert.equal(out.join(""), `a${many} [redacted:env] ${many}`);
    assert.ok((out[0] ?? "").length > many.length - 65_536);
  });

  it("no longer exists when the marks are taken away, whatever stands around it", () => {
    fc.assert(
      fc.property(text, fc.array(fc.tuple(fc.nat(), fc.constantFrom(...marks)), { maxLength: 30 }), (whole, places) => {
        // From the end on, so that none stands within another.
        const marked = places
          .map(([at, mark]) => [at % (whole.length + 1), mark] as const)
          .sort(([left], [right]) => right - left)
          .reduce((so, [at, mark]) => so.slice(0, at) + mark + so.slice(at), whole);
        const bare = withoutMarks(redactor.redact(marked));
        fc.pre(withoutMarks(bare) === bare);
        assert.equal(redactor.redact(bare), bare);
      }),
      { numRuns: 60 },
    );
  });
});
