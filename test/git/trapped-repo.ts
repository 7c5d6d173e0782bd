import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, makeRepo, write } from "./git-repo.ts";

export interface TrappedRepo {
  readonly repo: string;
  readonly remote: string;
  readonly scratch: string;
  /** What was run, one line a program, by the place that named it. */
  sprung(): string[];
  /** Command lines of processes that name this world. */
  alive(): string[];
  /** Takes the blob of `gone` out of the repository, so that git has to ask the promisor for it. */
  loseObject(): void;
}

const hooks = [
  "applypatch-msg",
  "commit-msg",
  "fsmonitor-watchman",
  "post-applypatch",
  "post-checkout",
  "post-commit",
  "post-index-change",
  "post-merge",
  "post-rewrite",
  "pre-applypatch",
  "pre-auto-gc",
  "pre-commit",
  "pre-merge-commit",
  "pre-push",
  "pre-rebase",
  "prepare-commit-msg",
  "push-to-checkout",
  "reference-transaction",
];

/** Keys whose value is a command line. `NAME` is that of a filter, a driver or a hook. */
const programKeys = [
  "alias.status",
  "alias.log",
  "core.alternateRefsCommand",
  "core.askPass",
  "core.editor",
  "core.fsmonitor",
  "core.gitProxy",
  "core.pager",
  "core.sshCommand",
  "credential.helper",
  "diff.external",
  "diff.NAME.command",
  "diff.NAME.textconv",
  "filter.NAME.clean",
  "filter.NAME.process",
  "filter.NAME.smudge",
  "gc.recentObjectsHook",
  "gpg.openpgp.program",
  "gpg.program",
  "gpg.ssh.defaultKeyCommand",
  "gpg.ssh.program",
  "gpg.x509.program",
  "hook.NAME.command",
  "interactive.diffFilter",
  "merge.NAME.driver",
  "mergetool.NAME.cmd",
  "pager.diff-index",
  "pager.log",
  "pager.ls-files",
  "pager.status",
  "remote.origin.receivepack",
  "remote.origin.uploadpack",
  "remote.promisor.receivepack",
  "remote.promisor.uploadpack",
  "sequence.editor",
  "submodule.sub.update",
  "trailer.NAME.cmd",
  "trailer.NAME.command",
  "uploadpack.packObjectsHook",
];

/** Switches that make git reach for the programs. */
const switches = [
  ["commit.gpgSign", "true"],
  ["core.repositoryFormatVersion", "1"],
  ["diff.ignoreSubmodules", "none"],
  ["diff.submodule", "diff"],
  ["extensions.partialClone", "promisor"],
  ["fetch.recurseSubmodules", "true"],
  ["filter.NAME.required", "true"],
  ["hook.NAME.event", "reference-transaction"],
  ["log.showSignature", "true"],
  ["protocol.allow", "always"],
  ["protocol.ext.allow", "always"],
  ["push.gpgSign", "true"],
  ["push.recurseSubmodules", "on-demand"],
  ["remote.promisor.promisor", "true"],
  ["remote.promisor.partialCloneFilter", "blob:none"],
  ["status.submoduleSummary", "true"],
  ["submodule.recurse", "true"],
  ["user.name", "a"],
  ["user.email", "a@example.org"],
] as const;

/**
 * A repository of which a pass had the run: every place in which git can be told of a program names one. `a`, `b` and
 * `c` have filters, drivers and textconvs by the rules in `.gitattributes`, `.git/info/attributes` and
 * `core.attributesFile`, whose programs stand in `.git/config`, `config.worktree` and an included file.
 */
export function makeTrappedRepo(folder: string): TrappedRepo {
  const [repo, remote, scratch, trap] = ["repo", "remote.git", "scratch", "trap.sh"].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  const log = join(folder, "sprung");
  const files = { "a.1": "1\n", "b.1": "1\n", "c.1": "1\n", "d.1": "1\n", gone: "gone\n", other: "1\n" };
  makeRepo(repo, { ...files, ".gitattributes": rules("a", "config") });
  mkdirSync(scratch);
  git(folder, "init", "-q", "--bare", remote);
  git(repo, "remote", "add", "origin", remote);
  git(repo, "push", "-q", "-u", "origin", "main");
  makeRepo(join(repo, "sub"), { x: "1\n" });
  git(repo, "-c", "advice.addEmbeddedRepo=false", "add", "sub");
  git(repo, "commit", "-q", "-m", "with a submodule");
  git(repo, "push", "-q");
  git(repo, "branch", "other");
  writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> '${log}'\ncase $1 in promisor) exit 1 ;; esac\ncat\n`);
  chmodSync(trap, 0o755);
  const nested = readFileSync(join(repo, "sub", ".git", "config"), "utf8");
  write(repo, {
    ".git/config": `${readFileSync(join(repo, ".git/config"), "utf8")}${settings("config", trap)}${switchesText("config")}
[extensions]\n\tworktreeConfig = true
[core]\n\tattributesFile = ${folder}/attributes\n\thooksPath = ${folder}/hooks
[include]\n\tpath = ${folder}/included
[remote "promisor"]\n\turl = "ext::${trap} promisor"
[url "ext::${trap} url "]\n\tinsteadOf = https://nowhere.invalid/\n`,
    ".git/config.worktree": settings("worktree", trap) + switchesText("worktree"),
    ".git/info/attributes": rules("b", "worktree"),
    "sub/.git/config": `${nested}${settings("config", trap)}${switchesText("config")}`,
    "sub/.git/info/attributes": "* filter=config diff=config\n",
    "sub/x": "2\n",
  });
  write(folder, { included: settings("included", trap), attributes: rules("c", "included") });
  for (const place of [join(folder, "hooks"), join(repo, ".git/hooks"), join(repo, "sub/.git/hooks")]) {
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place);
    for (const hook of hooks) symlinkSync(trap, join(place, hook));
  }
  return {
    repo,
    remote,
    scratch,
    sprung: () => readLines(log),
    alive: () => findAlive(folder),
    loseObject: () => {
      const name = git(repo, "rev-parse", "HEAD:gone").trim();
      rmSync(join(repo, ".git/objects", name.slice(0, 2), name.slice(2)), { force: true });
    },
  };
}

function rules(file: string, name: string): string {
  return `${file}.* filter=${name} diff=${name} merge=${name}\n`;
}

function settings(name: string, trap: string): string {
  return programKeys
    .filter((key) => name === "config" || !key.endsWith(".process"))
    .map((key) => {
      // An alias and a helper are shell commands after an exclamation mark; the others are given to a shell as they are.
      const mark = /^(?:alias|credential|submodule)\./.test(key) ? "!" : "";
      return line(key.replace("NAME", name), `${mark}${trap} ${name} ${key}`);
    })
    .join("");
}

function switchesText(name: string): string {
  return switches.map(([key, value]) => line(key.replace("NAME", name), value)).join("");
}

function line(key: string, value: string): string {
  const [section = "", ...rest] = key.split(".");
  const variable = rest.at(-1) ?? "";
  const subsection = rest.length < 2 ? "" : ` "${rest.slice(0, -1).join(".")}"`;
  return `[${section}${subsection}]\n\t${variable} = "${value}"\n`;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  } catch {
    return [];
  }
}

function findAlive(folder: string): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return words.includes(folder) ? [words] : [];
    } catch {
      return [];
    }
  });
}
