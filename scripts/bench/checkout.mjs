import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The checkout that is measured, with a slash at the end. */
export const checkout = fileURLToPath(new URL("../../", import.meta.url));

/** The command as a person calls it: by its path, without `node` before it. */
export const command = `${checkout}bin/task-phase`;

/** Throws if bin/ starts other files than the package ships, as it does in a checkout without esbuild. */
export function requireBundle() {
  if (existsSync(`${checkout}dist/task-phase.cjs`)) return;
  throw new Error("dist/task-phase.cjs is missing, and the figures would be those of dist/lib: npm ci, npm run build");
}
