import { resolve } from "node:path";
import { findGitPlace } from "../git/place.ts";
import { type AllowedSigners, readAllowedSigners } from "../git/signatures.ts";
import { findSshKeygen, type SshKeygen } from "../git/ssh-keygen.ts";
import { isUnder } from "../process/bwrap.ts";
import { configError, usageError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { realOr } from "../store/folder.ts";
import type { CommandContext } from "./command.ts";

/** A usage error if what says who may sign is given for nothing, or is missing. */
export function requireSigners({ flags }: CommandContext): void {
  const isGiven = flags.text("allowed-signers") !== null;
  if (isGiven && !flags.on("history") && !flags.on("attestation")) {
    throw usageError(
      "TP_USAGE_SIGNERS",
      "--allowed-signers is only for --history and --attestation, but neither was given",
      {
        fix: "add --history or --attestation, or omit --allowed-signers",
      },
    );
  }
  if (!isGiven && flags.on("attestation")) {
    throw usageError("TP_USAGE_SIGNERS", "--attestation needs --allowed-signers: the task does not say who may sign", {
      fix: "add --allowed-signers FILE; docs/signatures.md shows one",
    });
  }
}

/** Null if the flag was not given. */
export function readSigners({ cwd, flags }: CommandContext): AllowedSigners | null {
  const file = flags.text("allowed-signers");
  return file === null ? null : readAllowedSigners(resolve(cwd, file));
}

/** Whoever writes the repository would say who may sign. */
export function warnOfOwn({ file }: AllowedSigners, top: string | null): Finding[] {
  if (top === null || !isUnder(realOr(file), [realOr(top)])) return [];
  const message =
    "the allowed signers are in the repository that they judge: whoever can write there decides who may sign";
  const fix = "keep the file elsewhere, or take it from a commit that you trust with git show";
  return [warningFinding("TP_ALLOWED_SIGNERS_PLACE", message, { file, fix })];
}

/** The ssh-keygen that reads signatures; none that lies in the repository. Throws a config error. */
export async function findVerifier(folder: string, env: NodeJS.ProcessEnv): Promise<SshKeygen> {
  const git = findGitPlace(folder);
  const found = await findSshKeygen(env, git === null ? [folder] : [folder, git.top]);
  if (found.kind === "found") return found.tool;
  throw configError("TP_SSH_KEYGEN", `signatures cannot be checked: ${found.problem}`, { fix: found.fix });
}
