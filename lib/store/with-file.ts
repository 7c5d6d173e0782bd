import { closeSync } from "node:fs";

/** The result of `use`. The open file is closed in any case. */
export function withFile<Value>(file: number, use: (file: number) => Value): Value {
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}
