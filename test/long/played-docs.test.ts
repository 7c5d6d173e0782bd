import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { makeWorld, projectRoot } from "../cli/arrange.ts";

interface Player {
  readonly playedDocuments: readonly string[];
  playDocument(text: string, scratch: string, env: Readonly<Record<string, string>>): string;
  withoutMoments(text: string): string;
}

const script = path.join(projectRoot, "scripts", "play-docs.mjs");
const { playDocument, playedDocuments, withoutMoments } = (await import(pathToFileURL(script).href)) as Player;

for (const name of playedDocuments) {
  test(`docs/${name} prints what it says`, (t) => {
    const world = makeWorld(t);
    world.write("work/.keep", "");
    const text = readFileSync(path.join(projectRoot, "docs", name), "utf8");
    const { TASK_PHASE_TRUST: _, ...env } = world.env;
    const played = playDocument(text, world.path("work/demo"), env);
    const lines = (document: string) => withoutMoments(document).split("\n");
    assert.deepEqual(lines(played), lines(text), "out of date: node scripts/play-docs.mjs");
  });
}
