import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import type { CellGround, CellRequest } from "../../../lib/checks/proof/cell.ts";
import { openKeptCopy } from "../../../lib/checks/proof/kept-copy.ts";
import { runCell } from "../../../lib/checks/proof/run-cell.ts";
import type { ProofWorld } from "./arrange.ts";

/** Runs one cell, which leaves no copy and no temporary folder. */
export async function cell(world: ProofWorld, ground: CellGround, more: Partial<CellRequest> = {}) {
  const kept = openKeptCopy(ground.copies);
  const request = { name: "clean", contents: await world.contents(), heldOut: [] };
  const logs = { logFolder: world.path("logs/clean"), logRelative: "logs/clean" };
  const outcome = await runCell(ground, { ...request, ...logs, ...more }, kept).finally(() => kept.remove());
  assert.deepEqual(readdirSync(world.path("runner/copies")), [], "no copy is left");
  assert.deepEqual(
    readdirSync(world.path("runner/work")).filter((name) => name.startsWith("tmp-")),
    [],
    "no temporary folder is left",
  );
  return outcome;
}

/** The checks of a cell that ran, each with its status. */
export async function statuses(world: ProofWorld, ground: CellGround, more: Partial<CellRequest> = {}) {
  const outcome = await cell(world, ground, more);
  assert(outcome.kind === "ran", JSON.stringify(outcome));
  return outcome.cell.results.map(({ name, status }) => `${name} ${status}`);
}

export const files = { "a.txt": "a\n", ".gitignore": "node_modules\nignored\n" };
