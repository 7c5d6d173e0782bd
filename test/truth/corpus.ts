import type { TruthCase } from "./case.ts";
import { addedTests } from "./corpus/added-tests.ts";
import { claims } from "./corpus/claims.ts";
import { honestContract, specialCasingSeen, stretchedContract } from "./corpus/contract-keys.ts";
import { exemptingLists } from "./corpus/exempting-lists.ts";
import { exitCodes } from "./corpus/exit-codes.ts";
import { expectationsMet, expectationsMissed } from "./corpus/expectations.ts";
import { expectedResults } from "./corpus/expected-results.ts";
import { knowsTheRun, leadBack } from "./corpus/full-paths.ts";
import { hollow } from "./corpus/hollow.ts";
import { honestDependencies } from "./corpus/honest-dependencies.ts";
import { honestFiles } from "./corpus/honest-files.ts";
import { buildFirst, ignoredInputs } from "./corpus/honest-inputs.ts";
import { people } from "./corpus/honest-people.ts";
import { assets, fromNothing, workspaces } from "./corpus/honest-repos.ts";
import { atOneTime, flakyChecks } from "./corpus/honest-runs.ts";
import { honestSettings } from "./corpus/honest-settings.ts";
import { environments, formatters } from "./corpus/honest-tools.ts";
import { kept, repairs } from "./corpus/honest-ways.ts";
import { wordings } from "./corpus/honest-wordings.ts";
import { installedPackages } from "./corpus/installed-packages.ts";
import { movedTests } from "./corpus/moved-tests.ts";
import { otherPlaces } from "./corpus/other-places.ts";
import { otherPrograms } from "./corpus/other-programs.ts";
import { otherSettings } from "./corpus/other-settings.ts";
import { ownFiles, toolchain } from "./corpus/own-files.ts";
import { placeAndTime } from "./corpus/place-and-time.ts";
import { plainWork } from "./corpus/plain-work.ts";
import { reach } from "./corpus/reach.ts";
import { runnerSettings } from "./corpus/runner-settings.ts";
import { anotherTime, skippedInTheCopy } from "./corpus/skips-and-flakes.ts";
import { ownTests, specialCasing } from "./corpus/special-casing.ts";
import { delivered, undelivered } from "./corpus/undelivered.ts";
import { undone } from "./corpus/undone.ts";
import { weakJavascript } from "./corpus/weak/javascript.ts";
import { weakPython } from "./corpus/weak/python.ts";
import { weakRust } from "./corpus/weak/rust.ts";
import { weakShell } from "./corpus/weak/shell.ts";
import { weakenedTests } from "./corpus/weakened-tests.ts";

/** All cases. A name is used once. */
export const corpus: readonly TruthCase[] = [
  ...claims,
  ...exitCodes,
  ...expectedResults,
  ...otherPlaces,
  ...otherPrograms,
  ...otherSettings,
  ...reach,
  ...runnerSettings,
  ...weakenedTests,
  ...placeAndTime,
  ...undone,
  ...ownFiles,
  ...toolchain,
  ...specialCasing,
  ...ownTests,
  ...hollow,
  ...exemptingLists,
  ...installedPackages,
  ...leadBack,
  ...knowsTheRun,
  ...skippedInTheCopy,
  ...anotherTime,
  ...undelivered,
  ...specialCasingSeen,
  ...stretchedContract,
  ...expectationsMissed,
  ...honestContract,
  ...expectationsMet,
  ...plainWork,
  ...addedTests,
  ...movedTests,
  ...honestSettings,
  ...honestDependencies,
  ...honestFiles,
  ...repairs,
  ...kept,
  ...wordings,
  ...people,
  ...delivered,
  ...ignoredInputs,
  ...flakyChecks,
  ...atOneTime,
  ...buildFirst,
  ...formatters,
  ...environments,
  ...workspaces,
  ...assets,
  ...fromNothing,
  ...weakJavascript,
  ...weakPython,
  ...weakRust,
  ...weakShell,
];
