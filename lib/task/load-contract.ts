import { realpathSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { configCandidates } from "../documents/config/find-config.ts";
import { loadConfig } from "../documents/config/load-config.ts";
import type { Contract } from "../documents/contract.ts";
import { readTaskFile, taskFiles } from "../documents/read-task-file.ts";
import { findGitTop } from "../git/list-paths.ts";
import { findLostGit } from "../git/place.ts";
import type { Policy } from "../rules/facts.ts";
import { chooseReviewers } from "../rules/review-standings.ts";
import { passMachineFault } from "../store/error-code.ts";
import { configError } from "../text/errors.ts";
import { sha256 } from "../text/sha256.ts";
import { anchorFolder, refuseInside } from "./records/anchor.ts";
import type { PassPorts } from "./records/ports.ts";
import type { TaskPlace } from "./records/task-place.ts";

/** The contract of a task as it is now, with the configuration that completes it. */
export type TaskContract = Readonly<ReturnType<typeof loadContract>>;

/** Reads brief and configuration; a data error where they cannot be read, a config error if they are wrong. */
export function loadContract(
  place: TaskPlace,
  configFlag: string | null,
  ports: Pick<PassPorts, "env" | "home" | "cwd">,
) {
  const where = { configFlag, env: ports.env, home: ports.home, cwd: ports.cwd, taskDir: place.taskDir };
  const config = loadConfig(where);
  const { contract, wish, isEmpty, bytes } = readTaskFile(taskFiles.brief, place.taskDir, config.defaults);
  return {
    contract,
    /** The brief's text below its front matter, without comments. */
    wish,
    /** The body says nothing: headings, comments and placeholders alone. */
    isEmpty,
    /** SHA-256 of the whole README.md. */
    sha256: sha256(bytes),
    config,
    /** Every path that could hold the configuration of the next pass instead. */
    configPaths: configCandidates(where),
    policy: {
      task: contract.id,
      user_facing: contract.userFacing,
      completion_promise: contract.completionPromise,
      budget: { passes: contract.budget.passes, repairs: contract.budget.repairs },
      retries_per_failure: contract.retriesPerFailure,
      required_validators: contract.validators.filter((check) => check.required).map((check) => check.name),
      tests_changed: contract.testsChanged,
      bounds: contract.bounds,
      required_scenarios: contract.scenarios.filter((check) => check.required).map((check) => check.name),
      proof: { without: contract.proof.without, clean: contract.proof.clean, wrong: contract.proof.wrong.mode },
      required_held_out: contract.heldOut.filter((check) => check.required).map((check) => check.name),
      approve: contract.approve,
      manual: contract.manual,
      review: reviewPolicy(contract, wish, []),
    } satisfies Policy,
  };
}

/** Who reviews, and where; with `auto` by the brief and the repo paths that the task changed so far. */
export function reviewPolicy(
  { title, userFacing, review: { reviewers, at } }: Contract,
  text: string,
  paths: readonly string[],
): Policy["review"] {
  const wish = `${title}\n${text}`;
  const roles = reviewers === "auto" ? chooseReviewers({ userFacing, wish, paths }) : reviewers;
  return { reviewers: roles, at };
}

/** The working tree that the agent works on: the flag, then the contract, then the git top level above the task. */
export function findRepo(
  place: Pick<TaskPlace, "taskDir" | "readme">,
  contract: Pick<Contract, "repo">,
  repoFlag: string | null,
  ports: Pick<PassPorts, "env" | "home" | "cwd">,
): string {
  const named =
    repoFlag !== null
      ? resolve(ports.cwd, repoFlag)
      : contract.repo !== null
        ? resolve(place.taskDir, contract.repo)
        : findGitTop(place.taskDir);
  if (named === null) {
    const lost = findLostGit(place.taskDir);
    if (lost !== null) throw configError("TP_NO_REPO", lost.message, lost);
    // A tasks root may be a link out of the repo in which the command was typed.
    const likely = findGitTop(ports.cwd) ?? dirname(dirname(place.taskDir));
    throw configError(
      "TP_NO_REPO",
      "no repo: the task folder is in no git working tree, and the contract names no repo",
      {
        file: place.readme,
        fix: `add \`repo: ${relative(place.taskDir, likely)}\` to the front matter if the repo is ${likely}, else its path from the task folder; or give --repo PATH`,
      },
    );
  }
  const repo = realFolder(named, repoFlag !== null ? null : place.readme);
  if (repo === place.taskDir || repo.startsWith(`${place.taskDir}/`)) {
    throw configError("TP_REPO", "the repo is inside the task folder", {
      file: repo,
      fix: "keep the task folder beside or inside the repo, not around it",
    });
  }
  refuseInside(anchorFolder(place.taskDir, ports), repo, "the repo");
  return repo;
}

function realFolder(path: string, file: string | null): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    passMachineFault(error);
    // Said below: to a person, a dangling link and a missing folder are the same thing.
  }
  throw configError("TP_REPO", `the repo is not a folder: ${path}`, {
    file,
    fix: "correct `repo` in the front matter of README.md, or --repo",
  });
}
