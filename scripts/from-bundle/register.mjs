// Lets a test that imports a module of dist/lib/ get that module as it is in dist/task-phase.cjs, the program that is
// shipped: `import` this file before the test. Modules that the program does not hold come from dist/lib/.
import { register } from "node:module";

register("./hooks.mjs", import.meta.url);
