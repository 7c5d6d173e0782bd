import { bases } from "../bases/bases.ts";
import type { Edits } from "../case.ts";

/** The right work of a base, as the edits of an honest agent. */
export function right(base: string): Edits {
  const found = bases[base];
  if (found === undefined) throw new Error(`there is no base ${base}`);
  return found.right;
}

/** The right text of one of its files. */
export function rightText(base: string, file: string): string {
  const text = right(base).write?.[file];
  if (text === undefined) throw new Error(`the right work of ${base} has no ${file}`);
  return text;
}
