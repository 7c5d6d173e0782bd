import type { InitializeHook, LoadHook } from "node:module";
import { type PlantedFault, plantFault } from "../simulation/plant-fault.ts";
import { plantedFaults } from "./planted-faults.ts";

/** What of a module of lib is replaced by the functions of the same names here. */
const doubles: ReadonlyMap<string, readonly string[]> = new Map([
  ["task/records/anchor.js", ["openAnchor", "handOnDelivered"]],
  ["task/records/task-journal.js", ["readTaskJournal"]],
  ["task/records/task-place.js", ["locateTask"]],
  ["checks/read-code.js", ["readCode"]],
  ["documents/config/load-config.js", ["loadConfig"]],
  ["task/trust.js", ["requireTrustedRemote"]],
  ["fleet/claim-context.js", ["waitUntil"]],
  ["fleet/claim-note.js", ["removeNote"]],
  ["fleet/clone.js", ["dropClone", "forgetPass"]],
  ["fleet/land/land-task.js", ["mergeAndCheck"]],
  ["fleet/local-work.js", ["openLocal", "refuseCheckedOut"]],
  ["fleet/met-dependencies.js", ["findMet"]],
  ["fleet/mirror.js", ["fetchMirror"]],
  ["fleet/open-branch.js", ["openBranch"]],
  ["fleet/open-code.js", ["openCode", "requireOwnRepo"]],
  ["git/commit.js", ["commitPaths"]],
  ["git/head.js", ["listChanged"]],
  ["git/log.js", ["findTrailer"]],
  ["git/network.js", ["withNetwork"]],
  ["git/own-ref.js", ["giveAgain"]],
  ["git/place.js", ["findGitPlace"]],
  ["git/run-git.js", ["runGit"]],
  ["git/git-settings.js", ["readSettings"]],
  ["git/torn-files.js", ["mendTorn"]],
  ["git/worktrees.js", ["checkedOutIn"]],
  ["pass/checkpoint/signing-key.js", ["signerOf"]],
  ["pass/run-pass.js", ["runPass"]],
  ["pass/recovery/recover.js", ["recoverTask"]],
  ["store/lock.js", ["tryLock"]],
  ["store/put-file.js", ["putFile"]],
  ["store/read-file.js", ["readJsonFile", "readJsonOr"]],
  ["store/state-home.js", ["openPrivateFolder"]],
  ["task/locks.js", ["lockTask", "lockInRoot"]],
  ["task/session.js", ["openHeld", "accept"]],
]);

const lib = new URL("../../lib/", import.meta.url).href;
/** Where they are; those that are not listed: in doubles.js. */
const games: Readonly<Record<string, string>> = {
  runPass: "claims.js",
  mergeAndCheck: "landing.js",
  openLocal: "landing.js",
};

let fault: PlantedFault | null = null;

export const initialize: InitializeHook<{ readonly fault: string | null }> = ({ fault: name }) => {
  fault = plantedFaults.find((one) => one.name === name) ?? null;
  if (fault === null && name !== null) throw new Error(`no planted fault is named ${name}`);
};

export const load: LoadHook = async (url, context, next) => {
  const [file = "", query] = url.startsWith(lib) ? url.slice(lib.length).split("?") : [];
  const names = query === undefined ? doubles.get(file) : undefined;
  if (names !== undefined) {
    const ours = names.map((name) => {
      const from = new URL(games[name] ?? "doubles.js", import.meta.url).href;
      return `export { ${name} } from ${JSON.stringify(from)};\n`;
    });
    const source = `export * from ${JSON.stringify(`${url}?real`)};\n${ours.join("")}`;
    return { format: "module", source, shortCircuit: true };
  }
  const loaded = await next(url, context);
  if (fault === null || fault.file !== `lib/${file}`) return loaded;
  return { ...loaded, source: plantFault(fault, loaded.source) };
};
