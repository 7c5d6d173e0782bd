import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLoopWorld } from "./loop-world.ts";

interface Told {
  readonly exit_code: number;
  readonly findings: readonly { readonly code: string; readonly file: string; readonly line: number | null }[];
}

const bigger = "**Done. 40 checks pass; without this work, 40 of them fail**";

test("check names a page that claims another proof, and evidence writes it as the journal has it", async (t) => {
  const world = await makeLoopWorld(t, { A: {} });
  assert.equal((await world.loop()).exit_code, 0);
  const place = ["--task-dir", world.path("tasks/A")];
  const check = async () => {
    const { exit_code: code, findings } = (
      await world.call("task-phase", ["check", ...place, "--json"])
    ).json() as unknown as Told;
    return [code, ...findings.map((one) => `${one.code} ${one.file.split("/").at(-1)}:${one.line}`)];
  };
  assert.deepEqual(await check(), [0]);
  const told = (name: string) => world.read(`tasks/A/${name}`);
  const honest = { evidence: told("EVIDENCE.md"), summary: told("SUMMARY.md") };
  for (const name of ["EVIDENCE.md", "SUMMARY.md"])
    world.write(`tasks/A/${name}`, told(name).replace(/\*\*Done\. .*\*\*/, bigger));
  assert.deepEqual(await check(), [20, "TP_HEADLINE EVIDENCE.md:6", "TP_HEADLINE SUMMARY.md:4"]);
  const spoken = await world.call("task-phase", ["check", ...place]);
  assert.match(
    spoken.stderr,
    /EVIDENCE\.md:6.*it says 'Done\. 40 checks pass; .*', but by the journal it is 'Done\. /s,
  );
  assert.equal((await world.call("task-phase", ["evidence", ...place])).code, 0);
  assert.deepEqual({ evidence: told("EVIDENCE.md"), summary: told("SUMMARY.md") }, honest);
  assert.deepEqual(await check(), [0]);
  // Not the runner's, so that it stays.
  world.write("tasks/A/EVIDENCE.md", `${honest.evidence}\n> ${bigger}\n`);
  assert.equal((await world.call("task-phase", ["evidence", ...place])).code, 0);
  assert.deepEqual((await check())[0], 20);
  world.write("tasks/A/EVIDENCE.md", honest.evidence);
  const resume = ["resume", ...place, "--to", "intake", "--reason", "more"];
  assert.equal((await world.call("task-phase", resume)).code, 0);
  assert.deepEqual(await check(), [0], "the report of the last done is one still");
  world.write("tasks/A/EVIDENCE.md", honest.evidence);
  assert.deepEqual(await check(), [20, "TP_HEADLINE EVIDENCE.md:6"], "the page of a task that works on is none");
});

test("check reads a headline that a formatter wrapped, and names a false one", async (t) => {
  const world = await makeLoopWorld(t, { A: {} });
  assert.equal((await world.loop()).exit_code, 0);
  const page = world.read("tasks/A/EVIDENCE.md");
  const check = async (text: string) => {
    world.write("tasks/A/EVIDENCE.md", text);
    const { findings } = (
      await world.call("task-phase", ["check", "--task-dir", world.path("tasks/A"), "--json"])
    ).json() as unknown as Told;
    return findings.map(({ code, line }) => `${code}:${line}`);
  };
  // As prettier --prose-wrap always writes it.
  const wrap = (text: string, eol: string) =>
    text.replace(
      /> \[!(\w+)\]\n> (\*\*Done.*\*\*)/,
      (_, kind: string, headline: string) => `> [!${kind}] ${headline.replaceAll(" ", `${eol}> `)}`,
    );
  assert.notEqual(wrap(page, "\n"), page);
  assert.deepEqual(await check(wrap(page, "\n")), []);
  assert.deepEqual(await check(wrap(page, "\r\n")), []);
  assert.deepEqual(await check(wrap(page.replace(/\*\*Done\. .*\*\*/, bigger), "\n")), ["TP_HEADLINE:5"]);
});
