import fs from "node:fs";

const changing: ReadonlySet<string> = new Set([
  ...["writeSync", "writeFileSync", "appendFileSync", "fsyncSync", "renameSync", "unlinkSync", "linkSync"],
  ...["symlinkSync", "mkdirSync", "mkdtempSync", "rmdirSync", "rmSync", "ftruncateSync", "truncateSync"],
  ...["chmodSync", "fchmodSync", "fchownSync", "copyFileSync", "cpSync"],
  ...["utimesSync", "futimesSync", "lutimesSync"],
]);

/** Whether this call of node:fs changes the disk, or may: an open does if its flags allow it. */
export function changesDisk(name: string, args: readonly unknown[]): boolean {
  return changing.has(name) || (name === "openSync" && opensForWriting(args[1]));
}

function opensForWriting(flags: unknown): boolean {
  const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC } = fs.constants;
  if (typeof flags === "number") return (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) !== 0;
  return typeof flags === "string" && /[wa+]/.test(flags);
}
