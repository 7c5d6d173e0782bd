import { fileURLToPath } from "node:url";

/** The checkout that is measured, with a slash at the end. */
export const checkout = fileURLToPath(new URL("../../", import.meta.url));

/** The command as a person calls it: by its path, without `node` before it. */
export const command = `${checkout}bin/task-phase`;
