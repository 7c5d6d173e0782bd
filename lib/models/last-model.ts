import * as v from "valibot";
import { readShape, whole } from "../text/read-shape.ts";

/** state.json of a tasks root: whose turn was the last one. */
interface LastModel {
  readonly version: 1;
  readonly last_model: string;
}

const lastModelSchema = whole<LastModel>()({ version: v.literal(1), last_model: v.string() });

export interface ReadLastModel {
  /** Null where the file does not say. */
  readonly name: string | null;
  /** What is wrong with the file; null where nothing is, or where it is not there. */
  readonly problem: string | null;
}

/** The text of state.json. */
export function formatLastModel(name: string): string {
  const value: LastModel = { version: 1, last_model: name };
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The bytes of state.json; null where there is no such file. One that is damaged is no reason to stop. */
export function readLastModel(bytes: Buffer | null): ReadLastModel {
  if (bytes === null) return { name: null, problem: null };
  const read = readShape(lastModelSchema, bytes);
  return read.kind === "read" ? { name: read.value.last_model, problem: null } : { name: null, problem: read.problem };
}
