import { type PushRequest, pushBranch } from "../../lib/git/push.ts";
import { gitEnv, write } from "./git-repo.ts";
import type { GitWorld } from "./git-world.ts";

export async function push(world: GitWorld, options: Partial<PushRequest> = {}) {
  const end = await pushBranch({
    repo: world.repo,
    scratch: world.scratch,
    expected: { url: world.remote, file: "PIN" },
    unwelcome: () => [],
    fence: null,
    env: gitEnv,
    signal: null,
    ...options,
  });
  return {
    ...end,
    codes: end.findings.map(({ code }) => code),
    said: end.findings.map(({ message }) => message).join(),
  };
}

/** A pass changed `a` and committed it. */
export async function committed(world: GitWorld, text = "ours\n"): Promise<string> {
  write(world.repo, { a: text });
  return (await world.commit(["a"])) ?? "";
}
