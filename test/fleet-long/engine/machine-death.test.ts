import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { missing, type Postgres, startPostgres } from "../../fleet/engine/postgres.ts";
import { playTakeover } from "./machine-death.ts";

// One by default; `npm run test:fleet` asks for 20.
const rounds = Number(process.env.FLEET_TAKEOVERS ?? "1");

describe("a pass whose machine dies", { skip: missing }, () => {
  let postgres: Postgres;
  before(() => {
    postgres = startPostgres();
  });
  after(() => postgres.remove());

  for (const dies of ["machine", "worker"] as const)
    test(`is claimed by another worker soon after its ${dies} was killed, ${rounds} times`, async (t) => {
      const times = await playTakeover(t, postgres, { rounds, schema: `takeover_${dies}`, dies });
      const sorted = times.toSorted((one, other) => one - other);
      const p95 = sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0;
      t.diagnostic(`kill to claim: p95 ${Math.round(p95)} ms, of ${sorted.map(Math.round).join(" ")}`);
      assert.equal(times.length, rounds);
    });
});
