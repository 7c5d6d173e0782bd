import type { Base } from "../case.ts";
import { blank } from "./blank.ts";
import { cargo, go } from "./compiled.ts";
import { ledgerPytest, ledgerUnittest, post, postScript } from "./new-code.ts";
import { card, tally, wrap } from "./new-code-compiled.ts";
import { node, nodeGreen } from "./node.ts";
import { monorepo, runner, snapshots } from "./node-more.ts";
import { pytest, unittest } from "./python.ts";
import { docs, make } from "./shell.ts";
import { types } from "./types.ts";

/** The small repos that cases share, by the name that a case gives. */
export const bases: Readonly<Record<string, Base>> = {
  node,
  "node-green": nodeGreen,
  pytest,
  unittest,
  cargo,
  go,
  make,
  docs,
  monorepo,
  snapshots,
  runner,
  types,
  post,
  "post-script": postScript,
  "ledger-unittest": ledgerUnittest,
  "ledger-pytest": ledgerPytest,
  card,
  wrap,
  tally,
  blank,
};
