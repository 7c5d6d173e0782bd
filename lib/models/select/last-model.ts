import * as v from "valibot";
import { readShape, type Shape } from "../../text/shape.ts";

/** state.json of a tasks root: whose turn was the last one. */
export const lastModelShape = v.object({ version: v.literal(1), last_model: v.string() });

export interface ReadLastModel {
  /** Null if the file does not say. */
  readonly name: string | null;
  /** The problem with the file; null if there is none, or no file. */
  readonly problem: string | null;
}

/** The text of state.json. */
export function formatLastModel(name: string): string {
  const value: Shape<typeof lastModelShape> = { version: 1, last_model: name };
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The bytes of state.json; null if there is no such file. One that is damaged is no reason to stop. */
export function readLastModel(bytes: Buffer | null): ReadLastModel {
  if (bytes === null) return { name: null, problem: null };
  const read = readShape(lastModelShape, bytes);
  return read.kind === "read" ? { name: read.value.last_model, problem: null } : { name: null, problem: read.problem };
}
