"use strict";
/** Starts the program that the build has put into dist/. Where there is none, a line says what makes it, and no stack. */
exports.start = async (name) => {
  try {
    await require("../dist/start.cjs").start(name);
  } catch (error) {
    const isMissing = error?.code === "MODULE_NOT_FOUND" || error?.code === "ENOENT";
    if (!isMissing || !/[\\/]dist[\\/](?:start|task-phase)\.cjs/.test(error.message)) throw error;
    const folder = require("node:path").dirname(__dirname);
    process.stderr.write(`error: the checkout ${folder} is not built, or is being built at this moment\n`);
    process.stderr.write("  fix: npm ci in that folder; after a change npm run build\n");
    process.exitCode = 1;
  }
};
