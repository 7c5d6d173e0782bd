import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { plantedFaults as nightFaults } from "../nights/planted-faults.ts";
import { plantedFaults as protocolFaults } from "../protocol/planted-faults.ts";
import { plantFault } from "../simulation/plant-fault.ts";

const program = path.join(import.meta.dirname, "..", "..");

for (const fault of [...nightFaults, ...protocolFaults]) {
  test(`the fault "${fault.name}" can be planted in the program`, () => {
    const source = readFileSync(path.join(program, fault.file));
    assert.notEqual(plantFault(fault, source), source.toString("utf8"));
  });
}
