import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClaimBounds, openClaims, prepareFolders } from "./claims.ts";
import { setFolder } from "./doubles.ts";
import { explore } from "./explore.ts";
import { type LandBounds, openLanding } from "./landing.ts";

/** Plays all orders of claims, or of calls of `land`, within bounds, and prints what was found as JSON. Needs register.js. */
export type SearchRequest = { readonly most: number } & (
  | { readonly game: "claims"; readonly bounds: ClaimBounds }
  | { readonly game: "land"; readonly bounds: LandBounds }
);

const request = JSON.parse(process.argv[2] ?? "") as SearchRequest;
const folder = realpathSync(mkdtempSync(join(tmpdir(), "task-phase-protocol-")));
setFolder(folder);
if (request.game === "claims") prepareFolders(request.bounds);
const open = () => (request.game === "claims" ? openClaims(request.bounds) : openLanding(request.bounds));
try {
  process.stdout.write(`${JSON.stringify(await explore({ open, most: request.most }))}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
