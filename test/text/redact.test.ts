import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createRedactor } from "../../lib/text/redact.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { projectRoot } from "../cli/arrange.ts";
import { startCpuTime } from "../patience.ts";
import { letters, pem, plain, tokens } from "./secret-samples.ts";

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
