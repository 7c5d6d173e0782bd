import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { commandTable } from "../../lib/cli/command-table.ts";
import { helpTopics, listKnownAnswers, ownPrograms } from "../../lib/cli/help.ts";
import { askKnown } from "../../lib/cli/start.ts";
import { wantsColor, writeLines } from "../../lib/cli/write-lines.ts";
import { makeWorld, projectRoot } from "./arrange.ts";

const version = (JSON.parse(readFileSync(path.join(projectRoot, "package.json"), "utf8")) as { version: string })
  .version;
const programs = [null, ...ownPrograms];
const names = [...commandTable.map(({ name }) => name), ...Object.keys(helpTopics), "help", "version", "tasks"];
const wordsOfHelp = ["--help", "-h", "help", "--version", "-V", "version"];
/** Every call of up to two words in which a word of help or of the version appears, and some that nobody knows. */
const calls = [
  ...wordsOfHelp.map((word) => [word]),
  ...wordsOfHelp.flatMap((word) =>
    [...names, ...wordsOfHelp].flatMap((name) => [
      [word, name],
      [name, word],
    ]),
  ),
  ...[
    [],
    ["status"],
    ["--", "--help"],
    ["run", "--", "--help"],
    ["run", "--help", "--no-color"],
    ["constructor", "-h"],
  ],
];

test("answers given before the program is loaded are those of the program, coloured or not", async (t) => {
  const world = makeWorld(t);
  const answers = listKnownAnswers();
  let known = 0;
  for (const fixed of programs) {
    for (const argv of calls) {
      for (const env of [{}, { FORCE_COLOR: "1" }]) {
        const asked = askKnown(fixed, argv);
        const key = asked?.kind === "help" ? asked.keys.find((one) => Object.hasOwn(answers, one)) : undefined;
        const lines = asked?.kind === "version" ? [version] : key === undefined ? undefined : answers[key];
        if (lines === undefined) continue;
        let text = "";
        const stream = { write: (more: string) => (text += more) };
        writeLines(stream, lines, wantsColor(stream, env, false));
        const end = await world.call(fixed === null ? "task-phase" : `task-phase-${fixed}`, argv, { env });
        assert.deepEqual([0, text, ""], [end.code, end.stdout, end.stderr], `${fixed ?? ""} ${argv.join(" ")}`);
        known += 1;
      }
    }
  }
  // The version by three words and the help by three, each command by five, each topic by one, each own program by four.
  assert.equal(known, 2 * (6 + 5 * commandTable.length + Object.keys(helpTopics).length + 4 * ownPrograms.length));
});

test("the built programs print the same, without the program that they would load", async (t) => {
  const world = makeWorld(t);
  const plain = async (bin: string, ...argv: string[]) => (await world.run(bin, argv)).stdout;
  assert.equal(await plain("task-phase", "--version"), `${version}\n`);
  for (const argv of [["--help"], ["run", "-h"], ["help", "phases"]])
    assert.equal(await plain("task-phase", ...argv), (await world.call("task-phase", argv)).stdout);
  assert.equal(await plain("task-phase-run", "-h"), (await world.call("task-phase-run", ["-h"])).stdout);
});
