import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createRedactor } from "../../lib/text/redact.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { withoutMarks } from "../../lib/text/terminal-marks.ts";
import { projectRoot } from "../cli/arrange.ts";
import { startCpuTime } from "../patience.ts";

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

  it("replaces what a name calls a secret, as files and command lines have it", () => {
    const secret = "hunter2-Zq8";
    const forms: readonly string[] = [
      `DB_PASSWORD=${secret}`,
      `PGPASSWORD=${secret} psql`,
      `SMTP_PASS=${secret}`,
      `export MYSQL_ROOT_PASSWORD='${secret}'`,
      `PASSWORD="${secret}"`,
      `API_KEY=${secret}`,
      `MY_APP_SECRET=${secret}`,
      `{"user": "me", "password": "${secret}"}`,
      `{\\"password\\":\\"${secret}\\"}`,
      `{'dbPassword': '${secret}'}`,
      `  api_key: ${secret}`,
      `password: ${secret}`,
      `spring.datasource.password=${secret}`,
      `client_secret = "${secret}"`,
      `const apiKey = "${secret}";`,
      `"auths": {"x.io": {"auth": "${Buffer.from(`me:${secret}`).toString("base64")}"}}`,
      `mysql --user me --password ${secret}`,
      `tool --api-key=${secret} run`,
      `machine x.io login me password ${secret}`,
      `db.x.io:5432:app:me:${secret}`,
      `*:*:*:me:${secret}`,
    ];
    for (const form of forms) {
      const clean = plain.redact(form);
      assert.match(clean, /\[redacted:named\]/, form);
      assert.doesNotMatch(clean, /hunter2|Zq8|bWU6/, form);
      assert.equal(plain.redact(clean), clean);
    }
    assert.equal(plain.redact(`{"password": "${secret}", "a": 1}`), '{"password": "[redacted:named]", "a": 1}');
    assert.equal(plain.redact("DB_PASSWORD=longenough"), "DB_PASSWORD=[redacted:named]");
    assert.equal(plain.redact("PGPASSWORD=longenough psql"), "PGPASSWORD=[redacted:named] psql");
    assert.equal(plain.redact(`GITHUB_TOKEN=ghp_${letters(36)}`), "GITHUB_TOKEN=[redacted:github]");
  });

  it("leaves words, references and short values behind such names", () => {
    const harmless = [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell has it so
      "DB_PASSWORD=$OTHER_PASSWORD and DB_PASSWORD=${SECRET_1} and PASSWORD=<your-password1>",
      "password: string; token: Token; secret: SecretValue",
      "password: z1.string() and token = parser.next_token2()",
      "PWD=/home/someone/app1 OLDPWD=/home/someone/app2",
      'label: { "password": "Password", "token": "Zugangswort" }',
      "const password = readPassword(); if (password === undefined) return",
      "MAX_TOKENS=120000000 TOKENS=12345678 PASSWORD=short1 PASSWORD=********",
      "the password must have 12 characters; a token expires after 3600000 ms",
      "PASSWORD_FILE=/run/secrets/db1 DB_PASSWORD_MIN_LENGTH=12345678",
      "usage: tool --token TOKEN --password PASSWORD",
      '"author": "somebody1234567"',
      "see http://x.io:5432:a and 12:5432:30",
    ];
    for (const text of harmless) assert.equal(plain.redact(text), text);
  });

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

  it("knows the tokens that their makers begin with letters of their own", () => {
    const hex = (count: number): string => "0a1b2c3d4e".repeat(Math.ceil(count / 10)).slice(0, count);
    const upper = (count: number): string => letters(count).toUpperCase();
    const lower = (count: number): string => letters(count).toLowerCase();
    const made: Record<string, readonly string[]> = {
      anthropic: [`sk-ant-admin01-${letters(80)}`, `sk-ant-oat01-${letters(80)}`],
      openai: [`sk-svcacct-${letters(60)}`, `sk-admin-${letters(60)}`],
      openrouter: [`sk-or-v1-${hex(64)}`],
      langfuse: [`sk-lf-${randomUUID()}`],
      github: [`ghs_123456_eyJ${letters(40)}.${letters(80)}.${letters(43)}`, `ghr_${letters(76)}`],
      gitlab: [
        `glrt-${letters(20)}`,
        `glptt-${letters(40)}`,
        `gloas-${letters(64)}`,
        `glpat-${letters(27)}.01.0w1abcdef`,
        `GR1348941${letters(20)}`,
      ],
      aws: [`ABIA${upper(16)}`, `ABSKQmVkcm9ja0FQSUtleS${letters(100)}=`],
      google: [`GOCSPX-${letters(28)}`, `1//0${letters(60)}`, `AQ.Ab8${letters(45)}`],
      azure: [`abc8Q~${letters(34)}`, `${letters(76)}AZDO${letters(4)}`, `${letters(52)}JQQJ9${letters(27)}`],
      slack: [`xoxe.xoxp-1-${letters(60)}`],
      docker: [`dckr_pat_${letters(27)}`, `dckr_oat_${letters(32)}`],
      digitalocean: [`dop_v1_${hex(64)}`, `doo_v1_${hex(64)}`],
      sendgrid: [`SG.${letters(22)}.${letters(43)}`],
      twilio: [`SK${hex(32)}`],
      telegram: [`123456789:AA${letters(33)}`],
      discord: [`${Buffer.from("123456789012345678").toString("base64")}.${letters(6)}.${letters(38)}`],
      mailgun: [`key-${hex(32)}`],
      mailchimp: [`${hex(32)}-us12`],
      databricks: [`dapi${hex(32)}`],
      linear: [`lin_api_${letters(40)}`],
      groq: [`gsk_${letters(52)}`],
      xai: [`xai-${letters(80)}`],
      perplexity: [`pplx-${letters(48)}`],
      replicate: [`r8_${letters(37)}`],
      cerebras: [`csk-${lower(48)}`],
      together: [`tgp_v1_${letters(43)}`],
      elevenlabs: [`sk_${hex(48)}`],
      langsmith: [`lsv2_pt_${hex(32)}_${hex(10)}`],
      tavily: [`tvly-dev-${letters(32)}`],
      pinecone: [`pcsk_${letters(6)}_${letters(60)}`],
      vercel: [`vcp_${letters(56)}`],
      netlify: [`nfp_${letters(36)}`],
      fly: [`fm2_${letters(90)}`, `fo1_${letters(43)}`],
      supabase: [`sbp_${hex(40)}`, `sb_secret_${letters(31)}`],
      shopify: [`shpat_${hex(32)}`],
      atlassian: [`ATATT3xFfGF0${letters(170)}=1A2B3C4D`, `ATBB${letters(32)}`],
      doppler: [`dp.pt.${letters(43)}`],
      vault: [`hvs.${letters(90)}`],
      age: [`AGE-SECRET-KEY-1${upper(58)}`],
      onepassword: [`ops_eyJ${letters(200)}`],
      nuget: [`oy2${lower(43)}`],
      rubygems: [`rubygems_${hex(48)}`],
      grafana: [`glsa_${letters(32)}_${hex(8)}`, `glc_eyJ${letters(100)}=`],
      newrelic: [`NRAK-${upper(27)}`],
      sentry: [`sntrys_eyJ${letters(100)}`, `sntryu_${hex(64)}`],
      postman: [`PMAK-${hex(24)}-${hex(34)}`],
      pulumi: [`pul-${hex(40)}`],
      planetscale: [`pscale_tkn_${letters(43)}`],
      notion: [`ntn_${letters(46)}`],
      figma: [`figd_${letters(40)}`],
      square: [`sq0csp-${letters(43)}`],
      razorpay: [`rzp_live_${letters(14)}`],
      brevo: [`xkeysib-${hex(64)}-${letters(16)}`],
      buildkite: [`bkua_${hex(40)}`],
      circleci: [`CCIPAT_${letters(22)}_${hex(40)}`],
      tailscale: [`tskey-auth-${letters(12)}-${letters(32)}`],
      render: [`rnd_${letters(28)}`],
      posthog: [`phx_${letters(43)}`],
      sourcegraph: [`sgp_${hex(16)}_${hex(40)}`],
      sonarqube: [`squ_${hex(40)}`],
      artifactory: [`AKCp8${letters(68)}`],
      contentful: [`CFPAT-${letters(43)}`],
      dynatrace: [`dt0c01.${upper(24)}.${upper(64)}`],
      terraform: [`${letters(14)}.atlasv1.${letters(67)}`],
      airtable: [`pat${letters(14)}.${hex(64)}`],
      resend: [`re_${letters(8)}_${letters(24)}`],
      alibaba: [`LTAI${letters(20)}`],
      tencent: [`AKID${letters(32)}`],
    };
    for (const [shape, tokens] of Object.entries(made)) {
      for (const token of tokens) assert.equal(plain.redact(`x="${token}";`), `x="[redacted:${shape}]";`, token);
    }
    assert.equal(
      plain.redact(`https://api.telegram.org/bot123456789:AA${letters(33)}/getMe`),
      "https://api.telegram.org/[redacted:telegram]/getMe",
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

  it("replaces what headers, settings and addresses of providers hold", () => {
    const secret = letters(44);
    const kept = [
      ['{\\"Authorization\\": \\"Bearer ', '\\"}', "bearer"],
      ["&quot;authorization&quot;: &quot;Basic ", "&quot;", "bearer"],
      ["PRIVATE-TOKEN: ", "", "api-key"],
      ['"api-key": "', '"', "api-key"],
      ["X-Vault-Token: ", "", "api-key"],
      ['"SecretAccessKey": "', '",', "aws"],
      ["aws_session_token=", "", "aws"],
      ["DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", ";EndpointSuffix=x", "azure"],
      ["Endpoint=sb://a/;SharedAccessKey=", ";", "azure"],
      ["https://a.blob.core.windows.net/c?sv=2024&sp=r&sig=", "&se=1", "azure"],
      ["//registry.npmjs.org/:_authToken=", "", "npm"],
      ["https://hooks.slack.com/services/", "", "slack"],
      ["https://discord.com/api/webhooks/123456789012345678/", "", "discord"],
      ["https://x.webhook.office.com/webhookb2/", "", "microsoft"],
    ] as const;
    assert.deepEqual(
      kept.map(([before, after]) => plain.redact(`${before}${secret}${after}`)),
      kept.map(([before, after, shape]) => `${before}[redacted:${shape}]${after}`),
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
      "api-key: required access-token: string sessionToken = getSessionTokenFromTheRequestContext key-value-store",
      "sk_buff sk-loading-spinner-animation global-navigation-bar-item re_compile_internal_pattern_of_the_search",
      "hf_hub_download_of_the_model npm_package_dependencies pattern.exec dapi_version sbp_config figd pul-request",
      "//registry.npmjs.org/:_authToken=$NPM_TOKEN_OF_THE_USER ?sig=short sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
      "-us1 SKU12345678901234567890123456789012 ops_eyJ 2026-01-01T00:00:00:AAAA hvs.example.com dp.pt.x",
    ].join("\n");
    assert.equal(plain.redact(text), text);
  });

  it("leaves the digests of lock files and packed programs alone", () => {
    // The same on each run, since a wrong hit would be one in millions.
    const digests = Array.from({ length: 3000 }, (_, index) => {
      const digest = createHash("sha512").update(String(index)).digest();
      return `"integrity": "sha512-${digest.toString("base64")}", ${digest.toString("hex")} ${digest.toString("base64url")}`;
    }).join("\n");
    assert.equal(plain.redact(digests) === digests, true);
    const packed = readFileSync(join(projectRoot, "package-lock.json"), "utf8");
    assert.equal(plain.redact(packed) === packed, true);
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
    const used = startCpuTime();
    for (const unit of ["-----BEGIN PRIVATE KEY-----a", "-eyJ", "://a:", "sk-", "authorization: bearer ", "a"]) {
      plain.redact(unit.repeat(Math.ceil(200_000 / unit.length)));
    }
    assert.ok(used() < 20_000);
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
