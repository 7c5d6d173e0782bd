import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A `node_modules` of so many files, no two alike, in 400 packages, and so many megabytes together. */
export function fillDependencies(repo, { dependencies, megabytes }) {
  const bytes = Buffer.alloc(Math.ceil((megabytes * 1e6) / dependencies), "module.exports = 1;\n");
  for (let index = 0; index < dependencies; index += 1) {
    const at = join(repo, "node_modules", `package-${index % 400}`);
    if (index < 400) mkdirSync(at, { recursive: true });
    bytes.writeUInt32LE(index, 0);
    writeFileSync(join(at, `file-${index}.js`), bytes);
  }
}
