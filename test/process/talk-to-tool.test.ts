import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { type ToolTalk, talkToTool } from "../../lib/process/talk-to-tool.ts";
import { makeWorld } from "../cli/arrange.ts";

const failure = ({ exitCode, said }: { exitCode: number | null; said: string }) => new Error(`${exitCode}: ${said}`);

test("one program answers one request after the other, in lines and in counted bytes", async (t) => {
  const talk = talkTo(t, 'while read -r words; do printf "%s\\nabcd" "$words"; done');
  const read = (request: string) =>
    talk.ask(`${request}\n`, async (answer) => [
      await answer.line(),
      (await answer.take(2, true))?.toString(),
      await answer.take(2, false),
    ]);
  assert.deepEqual(
    [await read("one"), await read("two")],
    [
      ["one", "ab", null],
      ["two", "ab", null],
    ],
  );
  talk.close();
});

test("a program that ends before its answer is reported with its code and its output", async (t) => {
  const talk = talkTo(t, "read -r words; echo lost >&2; exit 3");
  await assert.rejects(
    talk.ask("x\n", (answer) => answer.line()),
    new Error("3: lost"),
  );
  talk.close();
});

test("a program that is late with an answer is killed with what it started", async (t) => {
  const world = makeWorld(t);
  const talk = talkTo(t, "(sleep 2; touch left) & read -r words; wait", { cwd: world.folder, timeoutMs: 200 });
  await assert.rejects(
    talk.ask("x\n", (answer) => answer.line()),
    new Error("null: it did not end within 0.2 s"),
  );
  talk.close();
  assert.equal(existsSync(world.path("left")), false);
});

test("a missing program is named", async (t) => {
  const world = makeWorld(t);
  const talk = talkToTool({ argv: ["no-such-program"], cwd: world.folder, env: world.env, timeoutMs: 5000 }, failure);
  await assert.rejects(
    talk.ask("x\n", (answer) => answer.line()),
    /null: no-such-program is not on the PATH/,
  );
  talk.close();
});

function talkTo(t: Parameters<typeof makeWorld>[0], script: string, place = { cwd: "/", timeoutMs: 10_000 }): ToolTalk {
  const { env } = makeWorld(t);
  return talkToTool({ argv: ["/bin/sh", "-c", script], env, ...place }, failure);
}
