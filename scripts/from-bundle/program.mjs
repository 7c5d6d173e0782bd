import fs from "node:fs";
import Module from "node:module";
import path from "node:path";
import { loadProgram } from "../../dist/lib/cli/load-program.js";

// A test that replaces a function of node:fs is heard by the program too, though it took the function before.
const loadAny = Module._load;
const names = Object.keys(fs).filter((name) => /^[a-z]/.test(name) && typeof fs[name] === "function");
const heard = { ...fs, ...Object.fromEntries(names.map((name) => [name, (...values) => fs[name](...values)])) };
Module._load = (request, ...rest) => (request === "node:fs" ? heard : loadAny(request, ...rest));

/** Gives a module of the program by its number, as dist/modules.json has it. */
export const { loadModule } = loadProgram(path.join(import.meta.dirname, "..", "..", "dist"), null);
