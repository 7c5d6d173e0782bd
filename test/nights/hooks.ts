import type { InitializeHook, LoadHook } from "node:module";
import { type PlantedFault, plantFault } from "../simulation/plant-fault.ts";
import { plantedFaults } from "./planted-faults.ts";

/** Modules that start programs, and those that stand in for them in a night in memory. */
const doubles: ReadonlyMap<string, string> = new Map([
  ["lib/process/bounded.js", "programs.js"],
  ["lib/process/orphan-guard.js", "no-guard.js"],
  ["lib/process/survivors.js", "no-survivors.js"],
]);

const dist = new URL("../../", import.meta.url).href;
let fault: PlantedFault | null = null;

export const initialize: InitializeHook<{ readonly fault: string | null }> = ({ fault: name }) => {
  if (name === null) return;
  fault = plantedFaults.find((one) => one.name === name) ?? null;
  if (fault === null) throw new Error(`no planted fault is named ${name}`);
};

export const load: LoadHook = async (url, context, next) => {
  const path = url.startsWith(dist) ? url.slice(dist.length) : null;
  const double = path === null ? undefined : doubles.get(path);
  if (double !== undefined) {
    const source = `export * from ${JSON.stringify(new URL(double, import.meta.url).href)};\n`;
    return { format: "module", source, shortCircuit: true };
  }
  if (path === null || fault === null || path !== fault.file) return await next(url, context);
  const loaded = await next(url, context);
  return { ...loaded, source: plantFault(fault, loaded.source) };
};
