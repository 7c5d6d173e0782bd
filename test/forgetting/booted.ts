import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Loaded with --import before a program: for it the machine was started as often as TASK_PHASE_TEST_BOOT says. */
const { readFileSync } = fs;

fs.readFileSync = ((path: fs.PathOrFileDescriptor, options?: BufferEncoding) =>
  path === "/proc/sys/kernel/random/boot_id"
    ? `boot ${process.env.TASK_PHASE_TEST_BOOT}\n`
    : readFileSync(path, options)) as typeof readFileSync;
syncBuiltinESMExports();
