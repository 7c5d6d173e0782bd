// Runs the tests of the engine of a fleet against a real PostgreSQL: npm run test:engine, after npm run build.
//
// They need initdb, pg_ctl and postgres, from PATH or where Debian has them, and Node 24, which is installed into .nodes/
// as scripts/test-nodes.mjs does it. What is missing fails here; npm test leaves these tests out by name. Larger bars by
// the environment: ENGINE_RACERS, ENGINE_ATTEMPTS, ENGINE_PASSES, ENGINE_SEED (test/fleet/engine/ledger.test.ts) and
// ENGINE_TAKEOVERS, the number of workers that are killed (takeover.test.ts).
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "./pass-after-pass.mjs";

const files = [join("fleet", "engine"), join("fleet-long", "engine")].flatMap((folder) =>
  readdirSync(join(checkout, "dist", "test", folder))
    .filter((name) => name.endsWith(".test.js"))
    .map((name) => join(folder, name)),
);
const argv = [join(checkout, "scripts", "test-nodes.mjs"), "24", ...files];
const env = { ENGINE_TAKEOVERS: "3", ...process.env, ENGINE_REQUIRED: "1" };
process.exitCode = spawnSync(process.execPath, argv, { cwd: checkout, env, stdio: "inherit" }).status ?? 1;
