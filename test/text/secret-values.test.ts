import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRedactor } from "../../lib/text/redact.ts";
import { namesSecret, secretValues } from "../../lib/text/secret-values.ts";
import { letters } from "./secret-samples.ts";

describe("the secret values of an environment", () => {
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

  it("knows which names say that their value is a secret, and which only hold an amount, a place or a label", () => {
    const value = "Zq7-kept-or-not";
    const judged = (name: string, text = value): boolean => createRedactor({ [name]: text }).redact(text) !== text;
    const secret = [
      "OPENAI_API_KEY",
      "AWS_SECRET_ACCESS_KEY",
      "AWS_ACCESS_KEY_ID",
      "GH_TOKEN",
      "npm_config__authToken",
    ];
    const more = [
      "MY_PASSWORD",
      "PGPASSWORD",
      "MYSQL_PWD",
      "DOCKER_AUTH_CONFIG",
      "SESSION_COOKIE",
      "CI_JOB_JWT",
      "apiKey",
    ];
    for (const name of [...secret, ...more, "npm_config_//registry.npmjs.org/:_authToken"])
      assert.equal(judged(name), true, name);
    const open = [
      "DATABASE_URL",
      "TOKEN_PATH",
      "SECRET_NAME",
      "KEYBOARD",
      "AUTHOR",
      "MONKEY",
      "TOKENIZERS_PARALLELISM",
      "PASSAGE",
    ];
    for (const name of open) assert.equal(judged(name), false, name);
    assert.equal(judged("TOKEN_COUNT", "12345678"), false);
    assert.equal(judged("MAX_OUTPUT_TOKENS", "16000000"), false);
    assert.equal(judged("MY_PASSWORD", "12345678"), true);
    assert.equal(judged("TOKEN_COUNT"), true);
  });

  it("knows the password of a URL under any name, where it looks like one", () => {
    const redactor = createRedactor({
      DATABASE_URL: "postgres://me:s3cret%2Fpass-word@db/x",
      OTHER_URL: "db://postgres:postgres@db/x",
    });
    assert.equal(
      redactor.redact("pass s3cret%2Fpass-word or s3cret/pass-word of postgres"),
      "pass [redacted:env] or [redacted:env] of postgres",
    );
    assert.equal(createRedactor({ A_URL: "x://me:%zz-not-encoded-1@h" }).redact("%zz-not-encoded-1"), "[redacted:env]");
  });

  it("knows a value in base64, wherever it stands there, and as HTML, forms and other programs write it", () => {
    const value = "pä<ss>&/'wörd'";
    const redactor = createRedactor({ DB_PASSWORD: value });
    for (const user of ["", "u", "us", "use"]) {
      for (const encoding of ["base64", "base64url"] as const) {
        const text = redactor.redact(Buffer.from(`${user}:${value}, and more`).toString(encoding));
        assert.match(text, /^.{0,6}\[redacted:env\].{1,20}$/);
      }
    }
    const written = [
      "pä&lt;ss&gt;&amp;/&#39;wörd&#39;",
      "pä&lt;ss&gt;&amp;/&#x27;wörd&#x27;",
      "p\\u00e4\\u003css\\u003e\\u0026/'w\\u00f6rd'",
      "p%c3%a4%3css%3e%26%2f'w%c3%b6rd'",
      "p%C3%A4%3Css%3E%26%2F%27w%C3%B6rd%27",
      Buffer.from(value).toString("latin1"),
    ];
    assert.deepEqual(
      written.map((text) => redactor.redact(`>${text}<`)),
      written.map(() => ">[redacted:env]<"),
    );
  });

  it("knows the lines of a long value, as a diff and a quote show them", () => {
    const lines = [`first${letters(30)}`, "type: account", `last${letters(30)}`];
    const redactor = createRedactor({ SIGNING_KEY: lines.join("\n") });
    const quoted = lines.map((line) => `+${line}`).join("\n");
    assert.equal(redactor.redact(quoted), "+[redacted:env]\n+type: account\n+[redacted:env]");
    assert.equal(redactor.redact(JSON.stringify(lines.join("\n"))), '"[redacted:env]"');
    assert.equal(redactor.redact(lines.join("\n")), "[redacted:env]");
  });

  it("are none without a variable that is set, long enough and named so", () => {
    assert.deepEqual(secretValues({}), []);
    assert.deepEqual(secretValues({ A_TOKEN: undefined, B_TOKEN: "", C_TOKEN: " short  ", WORD: letters(20) }), []);
  });

  it("are trimmed, come longest first, and are each given once", () => {
    const values = secretValues({ A_TOKEN: " 12345abc\n", B_TOKEN: "12345abc", C_TOKEN: "x12345abcdef" });
    assert.ok(values.includes("12345abc"));
    assert.ok(values.indexOf("x12345abcdef") < values.indexOf("12345abc"));
    assert.equal(new Set(values).size, values.length);
    assert.deepEqual(
      values.map(({ length }) => length),
      values.map(({ length }) => length).sort((one, other) => other - one),
    );
  });

  it("are searched in pieces if they are longer than a stream should hold back", () => {
    const long = letters(20_000);
    assert.ok(secretValues({ A_KEY: long }).every(({ length }) => length <= 8192));
    assert.equal(createRedactor({ A_KEY: long }).redact(long).includes(letters(20)), false);
  });

  it("are known by a name in any case, unless it is the name of a place", () => {
    const rows: readonly (readonly [name: string, isSecret: boolean])[] = [
      ["access_token", true],
      ["accessToken", true],
      ["ACCESS-KEY", true],
      ["pwd", false],
      ["key_file", false],
      ["___", false],
      ["", false],
    ];
    for (const [name, isSecret] of rows) assert.equal(namesSecret(name), isSecret, name);
  });
});
