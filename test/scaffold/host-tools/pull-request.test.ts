import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostTool } from "../../../lib/scaffold/host-tools/host-tool.ts";
import { openRepository } from "../../../lib/scaffold/host-tools/pull-request.ts";

type Ask = HostTool["ask"];

const pull = { number: 3, html_url: "https://github.com/acme/app/pull/3", state: "open", base: { ref: "main" } };

/** The first request is for the repository, and its answer is `repository`. */
async function open(tool: HostTool["tool"], repository: object, ask: Ask) {
  let isFirst = true;
  const answer: Ask = async (...words) => {
    const first = isFirst;
    isFirst = false;
    return first ? repository : await ask(...words);
  };
  return await openRepository({ tool, host: "h", root: "root", ask: answer });
}

test("on GitHub a branch is looked for under the repository's present name, and a text is cut to what fits", async () => {
  const asked: unknown[] = [];
  const repository = await open("gh", { full_name: "acme/app", default_branch: "trunk" }, async (...words) => {
    asked.push(words);
    return words[0] === "GET" ? [{ ...pull, head: { sha: "abc" }, draft: true }] : pull;
  });
  const [found] = await repository.list("a/b:c");
  const { number, html_url: url } = pull;
  assert.deepEqual(found, { number, url, state: "open", commit: "abc", base: "main", isDraft: true });
  assert.deepEqual(asked, [["GET", "repos/acme/app/pulls?state=all&per_page=100&head=acme%3Aa%2Fb%3Ac"]]);
  await repository.update({ ...found, isDraft: true }, { title: "T", body: "line\n".repeat(20_000) }, "main");
  const [, , change] = asked[1] as [string, string, { title: string; body: string; base: string }];
  assert.deepEqual([change.title, change.base, change.body.length < 60_100], ["T", "main", true]);
  assert.match(change.body, /\nline\n\nThe rest is in EVIDENCE\.md of the task\.\n$/);
});

test("where a host has no drafts, the request is made without, and any other refusal is one", async () => {
  const sent: unknown[] = [];
  let why = "Draft pull requests are not supported in this repository.";
  const repository = await open("gh", { full_name: "a/b", default_branch: "main" }, async (_method, _place, input) => {
    sent.push(input?.draft);
    if (input?.draft === true) throw new Error(why);
    return pull;
  });
  const made = await repository.create({ title: "T", body: "B" }, "work", "main", true);
  assert.deepEqual([made.isDraft, sent], [false, [true, false]]);
  why = "No commits between main and work";
  await assert.rejects(repository.create({ title: "T", body: "B" }, "work", "main", true), /No commits/);
});

test("on GitLab a fork's branch is another one, and no line of the text is an order to GitLab", async () => {
  const merge = {
    iid: 5,
    web_url: "https://h/a/b/-/merge_requests/5",
    state: "opened",
    target_branch: "main",
    sha: "abc",
  };
  const sent: unknown[] = [];
  const repository = await open("glab", { id: 7, default_branch: "main" }, async (method, place, input) => {
    sent.push([method, place, input?.description]);
    const fork = { ...merge, iid: 6, source_project_id: 8 };
    return method === "GET" ? [fork, { ...merge, source_project_id: 7, merged_at: "2026-01-01T00:00:00Z" }] : merge;
  });
  const found = await repository.list("work");
  assert.deepEqual(
    found.map(({ number, state }) => [number, state]),
    [[5, "merged"]],
  );
  await repository.create({ title: "T", body: "a /merge\n/merge\n/close\n" }, "work", "main", false);
  assert.deepEqual(sent.at(-1), ["POST", "projects/7/merge_requests", "a /merge\n&#47;merge\n&#47;close\n"]);
});
