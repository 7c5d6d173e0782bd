/** A mistake that a test must notice, in a compiled file of the program. */
export interface PlantedFault {
  readonly name: string;
  /** From the program's folder, such as `lib/rules/budgets.js`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The file with the fault in it. Throws if its words are not there any more. */
export function plantFault({ name, file, from, to }: PlantedFault, source: unknown): string {
  const text = Buffer.from(source as Uint8Array).toString("utf8");
  if (!text.includes(from)) throw new Error(`the fault "${name}" is nowhere in ${file}`);
  return text.replace(from, () => to);
}
