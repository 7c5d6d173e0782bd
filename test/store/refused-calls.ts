import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { hasCode, type TaskPhaseError } from "../../lib/text/errors.ts";

type Call = (...values: unknown[]) => unknown;

/** Runs with a disk that refuses this call, as with `EACCES`, if its first argument as text passes the test. */
export function refusing<Value>(
  name: keyof typeof fs,
  code: string,
  what: { test(argument: string): boolean },
  act: () => Value,
): Value {
  const before = Reflect.get(fs, name) as Call;
  Reflect.set(fs, name, (...values: unknown[]) => {
    if (what.test(String(values[0]))) throw Object.assign(new Error(`${code}: refused`), { code });
    return before(...values);
  });
  syncBuiltinESMExports();
  const mend = () => {
    Reflect.set(fs, name, before);
    syncBuiltinESMExports();
  };
  let later = false;
  try {
    const value = act();
    later = value instanceof Promise;
    return later ? ((value as Promise<unknown>).finally(mend) as Value) : value;
  } finally {
    if (!later) mend();
  }
}

export function isDiskError(error: unknown): error is TaskPhaseError {
  return hasCode(error, "TP_DISK") && error.exitName === "failure";
}
