import type * as v from "valibot";
import { type ReadShape, readShape } from "../text/shape.ts";
import { readRegularFile } from "./read-file.ts";

/**
 * Reads a regular file of JSON that has to have this shape as a whole; `missing` if nothing has the name. `problem`
 * says why it is not read: where in the JSON, what was expected and what was found. Does not throw.
 */
export function readJsonFile<Value>(
  path: string,
  schema: v.GenericSchema<unknown, Value>,
  maxBytes: number,
): ReadShape<Value> | { readonly kind: "missing" } {
  const read = readRegularFile(path, maxBytes);
  if (read.kind === "missing") return { kind: "missing" };
  return read.kind === "file"
    ? readShape(schema, read.bytes)
    : { kind: "wrong", problem: `expected a regular file that can be read, found ${read.kind.replace("_", " ")}` };
}
