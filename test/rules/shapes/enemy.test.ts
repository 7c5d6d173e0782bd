import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import * as v from "valibot";
import { readShape } from "../../../lib/text/shape.ts";
import { projectRoot } from "../../cli/arrange.ts";
import { keysOf, type ObjectPlace, objectsIn, samplesOf, type Walked, withObject } from "./sample-value.ts";

const script = path.join(projectRoot, "scripts", "json-schemas.mjs");
const { storedShapes, reportShapes } = (await import(pathToFileURL(script).href)) as {
  storedShapes: Readonly<Record<string, readonly [title: string, schema: Walked]>>;
  reportShapes: Readonly<Record<string, Walked>>;
};

const shapes = [
  ...Object.entries(storedShapes).map(([name, [, schema]]) => ({ name, schema })),
  ...Object.entries(reportShapes).map(([name, schema]) => ({ name: `report-${name}`, schema })),
];
const wrongs = [null, -1.5, 10 ** 300, "", "no such word", true, [], {}, [null], "x".repeat(100_000)];

for (const { name, schema } of shapes) {
  const samples = samplesOf(schema);
  const places = samples.flatMap((sample) => objectsIn(schema, sample).map((place) => ({ sample, place })));

  test(`${name}: a whole value is read as it is, without unknown keys`, () => {
    for (const sample of samples) assert.deepEqual(read(schema, sample), { kind: "read", value: sample });
    for (const { sample, place } of places) {
      const more = withObject(sample, place.path, (object) => ({ ...object, "no such key": { a: [1] } }));
      const result = read(schema, more);
      assert.equal(result.kind, "read", place.path.join("."));
      if (!throughRecord(place)) assert.deepEqual(result, { kind: "read", value: sample });
    }
  });

  test(`${name}: a key that is missing is named, unless it may be missing`, () => {
    for (const { sample, place } of places) {
      for (const [key, one] of keysOf(place.schema)) {
        const less = withObject(sample, place.path, ({ [key]: _, ...rest }) => rest);
        const result = read(schema, less);
        if (one.type === "exact_optional" || one.type === "optional") assert.equal(result.kind, "read", key);
        else assertNames(result, [...place.path, key]);
      }
    }
  });

  test(`${name}: a value of another type is named, with what was expected and found`, () => {
    let tried = 0;
    for (const { sample, place } of places) {
      for (const [key, one] of keysOf(place.schema)) {
        for (const wrong of wrongs.filter((value) => !v.is(one, value))) {
          const bad = withObject(sample, place.path, (object) => ({ ...object, [key]: wrong }));
          assertNames(read(schema, bad), [...place.path, key]);
          tried += 1;
        }
      }
    }
    assert.ok(tried > 5, `${tried} were tried`);
  });

  test(`${name}: text that is cut off anywhere, or is another value, is not read`, () => {
    const text = JSON.stringify(samples[0]);
    for (let length = 0; length < text.length; length += Math.ceil(text.length / 40))
      assert.deepEqual(readShape(schema, text.slice(0, length)), { kind: "wrong", problem: "it is not JSON" });
    for (const other of ["null", "7", '"text"', "[]", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, "\u0000", "{}{}"])
      assert.equal(readShape(schema, other).kind, "wrong", other.slice(0, 20));
  });
}

function read(schema: Walked, value: unknown) {
  return readShape(schema, JSON.stringify(value));
}

/** A record gives its values as they are. */
function throughRecord({ path: steps }: ObjectPlace): boolean {
  return steps.includes("constructor");
}

/** The problem is short and in one line, and names the key, or the object that told it apart from others. */
function assertNames(result: ReturnType<typeof readShape>, steps: readonly (string | number)[]): void {
  assert.ok(result.kind === "wrong", steps.join("."));
  assert.ok(result.problem.length < 400 && !result.problem.includes("\n"), result.problem);
  assert.ok(result.problem.startsWith(steps.join(".").slice(0, 100)), `${steps.join(".")}: ${result.problem}`);
  assert.match(result.problem, /expected .+, found /);
}
