import { lstatSync, mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";
import { withCleanUp } from "../report/keep-first.ts";
import { passMachineFault, storeError } from "../store/error-code.ts";
import { leadsToFolder, removeAll } from "../store/folder.ts";
import { createStatCache } from "../store/stat-cache.ts";
import type { GitPlace } from "./place.ts";
import { type GitSettings, readSettings, settingOf, settingVariables } from "./settings.ts";

/**
 * The one rule for the runner's git: it runs no program that a repository names, and speaks no protocol.
 *
 * Git reads a repository's settings, hooks and attributes from its common folder, and any of them may name a program:
 * filters, textconv, merge and diff drivers, hooks, fsmonitor, pagers, editors, credential helpers, ssh and proxy
 * commands, promisor remotes. A list of keys to switch off would always lack one, and new versions of git bring new
 * keys. So each call gets a common folder of the runner's own, made for that call: the repository's refs, objects and
 * logs are linked into it, its settings, hooks and attributes are not. The settings of the person and of the machine
 * are left out too. What a pass did to `.git/config` before or after some other moment plays no part.
 */
export interface PlainPlace {
  /** The words before the subcommand. */
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  close(): void;
}

/** These say how bytes are stored and compared, name no program, and have values of one plain word. */
const dataKeys = [
  "core.autocrlf",
  "core.eol",
  "core.filemode",
  "core.logallrefupdates",
  "core.precomposeunicode",
  "core.sharedrepository",
  "core.sparsecheckout",
  "core.sparsecheckoutcone",
  "core.symlinks",
] as const;

/** Two more of those, which git reads from the settings file alone. */
const extensionKeys = ["extensions.objectformat", "extensions.refstorage"] as const;

/** Nothing that a pass may have left in the index or in the environment of git hides a file or starts a helper. */
const fixedSettings = [
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.hooksPath=/dev/null",
  "core.attributesFile=/dev/null",
  "core.quotepath=off",
  "core.ignoreCase=false",
  // A person's git may contain the lock of a ref for a moment.
  "core.filesRefLockTimeout=1000",
  "core.packedRefsTimeout=1000",
  "core.safecrlf=false",
  "submodule.recurse=false",
  "advice.detachedHead=false",
  "gc.auto=0",
  "maintenance.auto=false",
];

const fixedVariables: Readonly<Record<string, string>> = {
  // Beats every `protocol.….allow`; git has no protocol of this name.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_ASKPASS: "",
  GIT_SSH_COMMAND: "false",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  LC_ALL: "C",
};

/**
 * With `contents` "loose" git sees a repository without a commit and without an index on the same working tree: all
 * that it says is about files and ignore rules. Throws TP_GIT if the settings cannot be read, and TP_DISK if the
 * temporary folder cannot be made.
 */
export async function openPlainPlace(
  place: GitPlace,
  env: NodeJS.ProcessEnv,
  contents: "recorded" | "loose" = "recorded",
): Promise<PlainPlace> {
  const settings = await knownSettings(place, env);
  let folder: string | null = null;
  try {
    folder = makeTemporaryFolder("git");
    const made = folder;
    writeFileSync(join(made, "config"), configText(settings));
    mkdirSync(join(made, "info"));
    linkParts(place, made, contents);
    return {
      args: [
        `--git-dir=${contents === "loose" ? made : place.gitDir}`,
        `--work-tree=${place.top}`,
        ...fixedSettings.flatMap((one) => ["-c", one]),
      ],
      variables: { ...fixedVariables, ...dataVariables(place, settings, env), GIT_COMMON_DIR: made },
      close: () => removeAll(made),
    };
  } catch (error) {
    const first = storeError("make git's folder in", tmpdir(), error);
    const made = folder;
    throw made === null ? first : withCleanUp(first, () => removeAll(made));
  }
}

/** The file that contains the person's own ignore rules, as git would find it here; it need not be there. */
export function excludesFile(place: GitPlace, settings: GitSettings, env: NodeJS.ProcessEnv): string {
  const home = env.HOME ?? homedir();
  const set = settingOf(settings, "core.excludesfile");
  if (set !== null) return resolve(place.top, set.startsWith("~/") ? join(home, set.slice(2)) : set);
  const base = env.XDG_CONFIG_HOME;
  return join(base !== undefined && isAbsolute(base) ? base : join(home, ".config"), "git", "ignore");
}

const settingsSeen = createStatCache<{ settings: Promise<GitSettings> | null }>();

/** Each pass calls git some fifty times, and only data is taken from the settings: a look at the files will do. */
export async function knownSettings(place: GitPlace, env: NodeJS.ProcessEnv): Promise<GitSettings> {
  const home = env.HOME ?? homedir();
  const files = [
    join(place.commonDir, "config"),
    join(place.gitDir, "config.worktree"),
    env.GIT_CONFIG_GLOBAL ?? join(home, ".gitconfig"),
    join(env.XDG_CONFIG_HOME ?? join(home, ".config"), "git", "config"),
  ];
  const seen = settingsSeen(files, () => ({ settings: null }));
  // Calls at the same time wait for one reading.
  seen.settings ??= readSettings(place, env);
  try {
    return await seen.settings;
  } catch (error) {
    seen.settings = null;
    throw error;
  }
}

function configText(settings: GitSettings): string {
  const extensions = extensionKeys.flatMap((key) => {
    const value = settings.repo.findLast(([name]) => name === key)?.[1].toLowerCase() ?? "";
    return /^[a-z0-9]{1,20}$/.test(value) ? [`\t${key.slice("extensions.".length)} = ${value}\n`] : [];
  });
  const version = extensions.length === 0 ? 0 : 1;
  const head = `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = false\n`;
  return extensions.length === 0 ? head : `${head}[extensions]\n${extensions.join("")}`;
}

function dataVariables(place: GitPlace, settings: GitSettings, env: NodeJS.ProcessEnv): Record<string, string> {
  const data = dataKeys.flatMap((key): [string, string][] => {
    const value = settingOf(settings, key);
    return value !== null && /^[A-Za-z0-9]{1,20}$/.test(value) ? [[key, value]] : [];
  });
  const rules = excludesFile(place, settings, env);
  // A pipe there would hold git forever.
  data.push(["core.excludesFile", isRegularFile(rules) ? rules : "/dev/null"]);
  return settingVariables(data);
}

function linkParts({ commonDir }: GitPlace, folder: string, contents: "recorded" | "loose"): void {
  const exclude = join("info", "exclude");
  if (contents === "loose") {
    for (const name of ["refs", "objects"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "HEAD"), "ref: refs/heads/none\n");
    if (isRegularFile(join(commonDir, exclude))) symlinkSync(join(commonDir, exclude), join(folder, exclude));
    return;
  }
  for (const name of ["refs", "objects", "worktrees", "reftable", "logs"]) {
    if (leadsToFolder(join(commonDir, name))) symlinkSync(join(commonDir, name), join(folder, name));
  }
  for (const name of ["packed-refs", "shallow", exclude]) {
    const path = join(commonDir, name);
    // Git makes packed-refs when it is missing, and must do so in the repository.
    const isMissing = name === "packed-refs" && lstatSync(path, { throwIfNoEntry: false }) === undefined;
    if (isMissing || isRegularFile(path)) symlinkSync(path, join(folder, name));
  }
}

/** A link counts by its target. */
function isRegularFile(path: string): boolean {
  try {
    return statSync(realpathSync(path)).isFile();
  } catch (error) {
    passMachineFault(error);
    return false;
  }
}
