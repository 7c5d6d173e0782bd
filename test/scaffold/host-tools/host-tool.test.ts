import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findHostTool, type HostRequest, textOf } from "../../../lib/scaffold/host-tools/host-tool.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { write } from "../../git/git-repo.ts";
import { withFolder } from "../../store/temporary-folder.ts";

/** A gh and a glab that write down how they were called, and then run this line of a shell. */
async function withTools(
  line: string,
  run: (world: {
    request: (url: string, more?: Partial<HostRequest>) => HostRequest;
    calls: () => string[];
    bin: string;
  }) => Promise<unknown>,
): Promise<void> {
  await withFolder(async (folder) => {
    const log = join(folder, "calls");
    const call = '$(basename "$0") $* | $PWD | \x24{GITLAB_TOKEN-none} | $(cat)';
    const script = `#!/bin/sh\necho "${call}" >> '${log}'\n${line}\n`;
    write(join(folder, "bin"), { gh: script, glab: script });
    for (const tool of ["gh", "glab"]) chmodSync(join(folder, "bin", tool), 0o755);
    mkdirSync(join(folder, "home"));
    await run({
      bin: join(folder, "bin"),
      calls: () => readFileSync(log, "utf8").replaceAll(folder, "").trimEnd().split("\n"),
      request: (url, more = {}) => ({
        ...{ url, tool: null, home: join(folder, "home"), agents: [], config: { hostKind: null, webBase: null } },
        env: { PATH: `${join(folder, "bin")}:${process.env.PATH}`, GITLAB_TOKEN: "t0ken" },
        ...more,
      }),
    });
  });
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "fine";
  } catch (error) {
    assert(error instanceof TaskPhaseError);
    return `${error.exitName} ${error.findings[0]?.code}: ${error.findings[0]?.message}`;
  }
}

test("the host decides between gh and glab, a flag before it, and a login of gh last", () =>
  withTools("exit 1", async ({ request }) => {
    const found = async (url: string, more: Partial<HostRequest> = {}) => {
      const { tool, host, root } = await findHostTool(request(url, more));
      return `${tool} ${host} ${root}`;
    };
    assert.equal(await found("git@github.com:acme/app.git"), "gh github.com repos/acme/app");
    assert.equal(await found("https://gitlab.com/a/b/c.git"), "glab gitlab.com projects/a%2Fb%2Fc");
    assert.equal(await found("https://code.example/a/b", { tool: "glab" }), "glab code.example projects/a%2Fb");
    const unknown = await refusal(findHostTool(request("https://code.example/a/b")));
    assert.match(unknown, /^\w+ TP_HOST_UNKNOWN: it is not known that code\.example is GitHub or GitLab$/);
    assert.match(await refusal(findHostTool(request("../local"))), /TP_HOST_UNKNOWN: the remote is no address/);
    assert.match(
      await refusal(findHostTool(request("x", { tool: "hub" }))),
      /^usage .*--with expects gh or glab, found 'hub'$/,
    );
  }));

test("a login of gh makes an unknown host one of GitHub", () =>
  withTools("exit 0", async ({ request, calls }) => {
    const { tool, host } = await findHostTool(request("https://code.example/a/b"));
    assert.deepEqual([tool, host], ["gh", "code.example"]);
    assert.match(calls()[0] ?? "", /^gh auth status --hostname code\.example \| \/home \| none \|/);
  }));

test("a call is made in the home folder, with its input as JSON, and with a token only for a host that is named", () =>
  withTools("echo '{\"a\":1}'", async ({ request, calls }) => {
    const tool = await findHostTool(request("https://gitlab.com/a/b"));
    assert.deepEqual(await tool.ask("GET", "x"), { a: 1 });
    const other = await findHostTool(request("https://code.example/a/b", { tool: "glab" }));
    await other.ask("POST", "y", { title: "T" });
    assert.deepEqual(calls(), [
      "glab api --hostname gitlab.com --method GET x | /home | t0ken | ",
      'glab api --hostname code.example --header Content-Type: application/json --input - --method POST y | /home | none | {"title":"T"}',
    ]);
  }));

const refusals: readonly (readonly [line: string, said: RegExp])[] = [
  [
    "echo nope; exit 0",
    /^\w+ TP_HOST_FAILED: gh failed on github\.com \(GET x\): it ended with 0 and printed no JSON$/,
  ],
  ["echo 'HTTP 404' >&2; exit 1", /TP_HOST_FAILED: .*HTTP 404/],
  ["echo 'HTTP 401: Bad credentials' >&2; exit 1", /TP_HOST_LOGIN: gh is not logged in to github\.com: HTTP 401/],
  ["echo 'no' >&2; exit 4", /TP_HOST_LOGIN/],
  ['echo \'{"errors":[{"message":"taken"},"x"]}\'; echo no >&2; exit 1', /TP_HOST_FAILED: .*: no; taken$/],
];
for (const [line, said] of refusals) {
  test(`a call that ends with ${line} is refused with its reason`, () =>
    withTools(line, async ({ request }) => {
      const tool = await findHostTool(request("https://github.com/acme/app"));
      assert.match(await refusal(tool.ask("GET", "x")), said);
    }));
}

test("a program that is not on PATH, or that an agent could have written, is not started", () =>
  withTools("exit 0", async ({ request, bin }) => {
    const tool = await findHostTool(request("https://github.com/acme/app", { agents: [bin] }));
    assert.match(await refusal(tool.ask("GET", "x")), /TP_HOST_TOOL: gh is not on PATH$/);
  }));

test("a key of an answer is a text, or there is none", () => {
  assert.equal(textOf({ a: "x" }, "a"), "x");
  for (const answer of [{ a: 1 }, {}, null, [], "a"]) assert.throws(() => textOf(answer, "a"), /has no a$/);
});
