import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { projectRoot } from "../cli/arrange.ts";

interface Row {
  readonly id: string;
  readonly what: string;
  readonly value: number;
}

interface Regression {
  findRegressions(
    measure: (ids: readonly string[], n: number) => readonly Row[],
    n: number,
    say: (line: string) => void,
    committed: Readonly<Record<string, number>>,
  ): string[];
}

const committed = { "start.version": 1.1, "pass.verify": 6 };
const row = (id: string, value: number): Row => ({ id, what: `what ${id} is`, value });

test("a row above 1.5 times its committed value twice is a regression, named with all three figures", async () => {
  const asked: [readonly string[], number][] = [];
  const lines = await find((ids, n) => {
    asked.push([ids, n]);
    return [row("start.version", 1.64), row("pass.verify", 9.2), row("pass.verify.rss", 900)];
  });
  assert.deepEqual(lines, ["pass.verify: what pass.verify is: measured 9.2, committed 6, allowed 9"]);
  assert.deepEqual(asked.slice(1), [[["pass.verify"], 10]]);
});

test("a row that is dear only once, as beside other work, is none", async () => {
  const values = [30, 6];
  assert.deepEqual(await find(() => [row("pass.verify", values.shift() ?? 0)]), []);
});

test("a row without a committed value is not judged", async () => {
  assert.deepEqual(await find(() => [row("new.row", 1000)]), []);
});

async function find(measure: Parameters<Regression["findRegressions"]>[0]): Promise<string[]> {
  const file = path.join(projectRoot, "scripts", "bench", "regression.mjs");
  const { findRegressions } = (await import(pathToFileURL(file).href)) as Regression;
  return findRegressions(measure, 5, () => undefined, committed);
}
