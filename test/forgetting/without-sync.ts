import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * Loaded with --import before a program: it syncs nothing whose path matches `of`, from the query of this module's
 * address, and takes the sync for done.
 */
const of = new RegExp(new URL(import.meta.url).searchParams.get("of") ?? "");
const { fsyncSync } = fs;

fs.fsyncSync = (descriptor) => {
  if (!of.test(fs.readlinkSync(`/proc/self/fd/${descriptor}`))) fsyncSync(descriptor);
};
syncBuiltinESMExports();
