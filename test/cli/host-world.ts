import { chmodSync, readFileSync } from "node:fs";
import { agentPath } from "../fake-agents/agent-path.ts";
import type { World } from "./arrange.ts";

export interface HostCall {
  readonly tool: string;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly tokens: readonly string[];
  readonly input: Readonly<Record<string, unknown>> | null;
}

interface HostState {
  logins: string[];
  /** Why no pull request can be made; missing: it can. */
  refuses?: string;
  issues: Record<string, unknown>;
  pulls: Record<string, unknown>[];
}

/** A git host behind `gh` and `glab` on PATH, and behind ssh: each push there goes to `remote.git` of the world. */
export interface GitHost {
  readonly env: Readonly<Record<string, string>>;
  state(): HostState;
  change(edit: (state: HostState) => void): void;
  /** The calls since the last time. */
  calls(): HostCall[];
  /** Makes the remote of this repo, with its `main`. */
  connect(repo: string, url: string): void;
  /** What the remote has on this branch; empty if nothing. */
  tip(branch: string): string;
}

export function makeGitHost(world: World, tools: readonly string[] = ["gh", "glab"]): GitHost {
  const executable = (name: string, text: string) =>
    chmodSync(world.write(`host-bin/${name}`, `#!/bin/sh\n${text}\n`), 0o755);
  const words = [process.execPath, agentPath("git-host.mjs")].map((word) => `'${word}'`).join(" ");
  for (const tool of tools) executable(tool, `exec ${words} ${tool} '${world.path("host")}' "$@"`);
  executable("ssh", `for last; do :; done\nexec \${last%% *} '${world.path("remote.git")}'`);
  const start: HostState = { logins: ["github.com", "gitlab.com"], issues: {}, pulls: [] };
  world.write("host/state.json", JSON.stringify(start));
  let seen = 0;
  const state = () => JSON.parse(readFileSync(world.path("host/state.json"), "utf8")) as HostState;
  return {
    env: {
      PATH: `${world.path("host-bin")}:${world.env.PATH}`,
      GIT_SSH_COMMAND: world.path("host-bin/ssh"),
      GIT_SSH_VARIANT: "simple",
    },
    state,
    change: (edit) => {
      const now = state();
      edit(now);
      world.write("host/state.json", JSON.stringify(now));
    },
    calls: () => {
      const all = world.exists("host/calls.jsonl") ? world.read("host/calls.jsonl").split("\n").filter(Boolean) : [];
      const news = all.slice(seen).map((line) => JSON.parse(line) as HostCall);
      seen = all.length;
      return news;
    },
    connect: (repo, url) => {
      world.git(".", "init", "--quiet", "--bare", "--initial-branch=main", world.path("remote.git"));
      world.git(repo, "push", "--quiet", world.path("remote.git"), "HEAD:refs/heads/main");
      world.git(repo, "remote", "add", "origin", url);
    },
    tip: (branch) => world.git("remote.git", "for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`).trim(),
  };
}
