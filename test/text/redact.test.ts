import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createRedactor } from "../../lib/text/redact.ts";
import { sha256 } from "../../lib/text/sha256.ts";

const plain = createRedactor({});
const letters = (count: number): string => "aB3dE6gH9k".repeat(Math.ceil(count / 10)).slice(0, count);
const base64Lines = (lines: number): string =>
  `${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj+/AgEAAoIBAQDR0123456789\n".repeat(lines)}`;
const pem = (lines: number): string =>
  `-----BEGIN RSA PRIVATE KEY-----\n${base64Lines(lines)}-----END RSA PRIVATE KEY-----`;

// Put together here, so that no scanner of this repository takes them for real.
const tokens: Record<string, string> = {
  anthropic: `sk-ant-api03-${letters(80)}-AA`,
  openai: `sk-proj-${letters(40)}_${letters(30)}`,
  github: `ghp_${letters(36)}`,
  gitlab: `glpat-${letters(20)}`,
  aws: `AKIA${"IOSFODNN7EXAMPLE"}`,
  google: `AIza${letters(35)}`,
  slack: `xoxb-${"1234567890"}-${letters(24)}`,
  npm: `npm_${letters(36)}`,
  stripe: `sk_live_${letters(24)}`,
  huggingface: `hf_${letters(34)}`,
  pypi: `pypi-AgEIcHlwaS5vcmc${letters(60)}`,
  jwt: `eyJ${letters(20)}.eyJ${letters(40)}.${letters(43)}`,
  "private-key": pem(20),
};

describe("redact", () => {
  for (const [shape, token] of Object.entries(tokens)) {
    it(`replaces a ${shape} token wherever it stands`, () => {
      const text = `"${token}" x=${token}\n${token}`;
      assert.equal(plain.redact(text), `"[redacted:${shape}]" x=[redacted:${shape}]\n[redacted:${shape}]`);
    });
  }

  it("knows the other forms of the same providers", () => {
    const others = [
      `github_pat_${letters(22)}_${letters(59)}`,
      `gho_${letters(36)}`,
      `sk-${letters(48)}`,
      `ASIA${"IOSFODNN7EXAMPLE"}`,
      `rk_live_${letters(24)}`,
      `whsec_${letters(32)}`,
      `ya29.${letters(60)}`,
      `xapp-1-${letters(30)}`,
    ];
    assert.deepEqual(
      others.map((token) => plain.redact(token).replace(/^\[redacted:[a-z]+\]$/, "gone")),
      others.map(() => "gone"),
    );
  });

  it("sees a token behind an escape of JSON, of a URL and of a terminal colour", () => {
    const token = tokens.github;
    assert.equal(
      plain.redact(`a\\n${token} b%3D${token} \x1b[32m${token}\x1b[0m \\u003d${token}`),
      "a\\n[redacted:github] b%3D[redacted:github] \x1b[32m[redacted:github]\x1b[0m \\u003d[redacted:github]",
    );
  });

  it("replaces what only its context makes a secret, and keeps the context", () => {
    assert.equal(
      plain.redact(
        [
          "authorization: Bearer abcdefgh12345",
          '"Authorization": "Basic dXNlcjpwYXNz"',
          "x-api-key: 0123456789",
          `aws_secret_access_key = ${letters(40)}`,
          "postgres://me:p@ssw0rd@db.example/x",
          "https://user:hunter2@example.com:8080/path",
        ].join("\n"),
      ),
      [
        "authorization: Bearer [redacted:bearer]",
        '"Authorization": "Basic [redacted:bearer]"',
        "x-api-key: [redacted:api-key]",
        "aws_secret_access_key = [redacted:aws]",
        "postgres://me:[redacted:url-password]@db.example/x",
        "https://user:[redacted:url-password]@example.com:8080/path",
      ].join("\n"),
    );
  });

  it("leaves digests, ids, kebab words, plain URLs and prose alone", () => {
    const text = [
      sha256("x"),
      randomUUID(),
      "task-antelope-and-the-long-road disk-usage-is-very-high-today-again sk-fading-circle-of-long-names",
      "https://example.com:8080/a/b@c?x=y npm_config_registry_url_of_the_user hf_ pypi-publish-workflow-check",
      "Authorization: Bearer $TOKEN; bearer authentication is used",
      'if (text.startsWith("-----BEGIN PRIVATE KEY-----")) return;',
      "skeleton AKIArat eyJ.eyJ.x",
    ].join("\n");
    assert.equal(plain.redact(text), text);
  });

  it("replaces a key whose end was cut off, and a token far longer than any bound", () => {
    assert.equal(plain.redact(`${pem(5).slice(0, 250)}!`), "[redacted:private-key]!");
    assert.equal(plain.redact(`<${tokens.jwt}${letters(100_000)}>`), "<[redacted:jwt]>");
  });

  it("replaces the values of variables whose names say secret, however JSON and URLs write them", () => {
    const redactor = createRedactor({
      DB_PASSWORD: 'p"ss/w0rd',
      MY_TOKEN: "part",
      API_KEY: "whole-and-more",
      OTHER_SECRET: "whole-an",
      SSH_AUTH_SOCK: "/tmp/agent.sock",
      PWD: "/home/someone",
      KEYBOARD: "qwertyuiop",
      TOKEN_PATH: "/etc/some/path",
      githubToken: "camelcased",
    });
    assert.equal(
      redactor.redact(
        'p"ss/w0rd p\\"ss/w0rd p%22ss%2Fw0rd part whole-and-more whole-an /tmp/agent.sock /home/someone qwertyuiop /etc/some/path camelcased',
      ),
      "[redacted:env] [redacted:env] [redacted:env] part [redacted:env] [redacted:env] /tmp/agent.sock /home/someone qwertyuiop /etc/some/path [redacted:env]",
    );
  });

  it("takes a known value as a whole, where a shape would see only its start", () => {
    const redactor = createRedactor({ DB_PASSWORD: "p@ss/word1" });
    assert.equal(redactor.redact("db://me:p@ss/word1@host"), "db://me:[redacted:env]@host");
  });

  it("tells where the secrets are, and does not count earlier redactions", () => {
    const text = `one\ntwo ${tokens.npm} [redacted:github]\r\n${tokens.aws}`;
    assert.deepEqual(plain.findSecrets(text), [
      { shape: "npm", line: 2, column: 5 },
      { shape: "aws", line: 3, column: 1 },
    ]);
    assert.deepEqual(plain.findSecrets(plain.redact(text)), []);
  });

  it("finds secrets far into a long text", () => {
    const text = `${"a line of text\n".repeat(20_000)}  ${tokens.npm}`;
    assert.deepEqual(plain.findSecrets(text), [{ shape: "npm", line: 20_001, column: 3 }]);
  });

  it("stays fast on what is made to be slow", () => {
    const started = performance.now();
    for (const unit of ["-----BEGIN PRIVATE KEY-----a", "-eyJ", "://a:", "sk-", "authorization: bearer ", "a"]) {
      plain.redact(unit.repeat(Math.ceil(200_000 / unit.length)));
    }
    assert.ok(performance.now() - started < 20_000);
  });
});

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
    for (let before = 16_384 - secrets.length; before < 17_400; before += 11) {
      const [head, rest] = ["-".repeat(before), "-".repeat(50_000)];
      const whole = `${head} ${secrets}\n${rest}`;
      const stream = redactor.stream();
      const out: string[] = [];
      for (let at = 0; at < whole.length; at += 1000) out.push(stream.push(whole.slice(at, at + 1000)));
      out.push(stream.end());
      assert.ok(out.join("") === `${head} ${expected}\n${rest}`, `after ${before} characters`);
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
