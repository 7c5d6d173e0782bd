import { mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { createStatCache } from "../store/cache-file.ts";
import { lookOr, storeError } from "../store/error-code.ts";
import { leadsToFolder, statEntry } from "../store/folder.ts";
import { withCleanUp } from "../text/errors.ts";
import { type GitSettings, readSettings, settingOf, settingPath, settingVariables } from "./git-settings.ts";
import type { GitPlace } from "./place.ts";
import { type Links, openPlainFolder } from "./plain-folder.ts";

/** These say how bytes are stored and compared, name no program, and take one plain word. */
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

/** Git reads these from the settings file alone. */
const extensionKeys = ["extensions.objectformat", "extensions.refstorage"] as const;

/** Keep the index and the environment from hiding a file or starting a helper. */
const fixedSettings = [
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.hooksPath=/dev/null",
  "core.attributesFile=/dev/null",
  "core.quotepath=off",
  "core.ignoreCase=false",
  // Another git may have a ref's lock for a moment.
  "core.filesRefLockTimeout=1000",
  "core.packedRefsTimeout=1000",
  "core.safecrlf=false",
  "submodule.recurse=false",
  "advice.detachedHead=false",
  "gc.auto=0",
  "maintenance.auto=false",
];

const fixedVariables: Readonly<Record<string, string>> = {
  // Overrides every `protocol.….allow`; no protocol has this name.
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
 * The one rule for the runner's git: it runs no program that a repository names, and speaks no protocol. Settings,
 * hooks and attributes in a repository's common folder may name programs (filters, drivers, hooks, fsmonitor, pagers,
 * credential helpers, ssh, promisor remotes), and no list of keys to switch off would be complete. So each call gets a
 * common folder of the runner's that links refs, objects and logs, and none of these. The settings of the person and the
 * machine are left out too. `contents` "loose" hides commits and index. Throws TP_GIT if the settings cannot be read, and
 * TP_DISK.
 */
export async function openPlainPlace(
  place: GitPlace,
  env: NodeJS.ProcessEnv,
  contents: "recorded" | "loose" = "recorded",
) {
  const settings = await knownSettings(place, env);
  const isLoose = contents === "loose";
  const folder = openPlainFolder(configText(settings), isLoose ? looseLinks(place) : partLinks(place), !isLoose);
  try {
    if (isLoose) {
      for (const name of ["refs", "objects"]) mkdirSync(join(folder.path, name));
      writeFileSync(join(folder.path, "HEAD"), "ref: refs/heads/none\n");
    }
    return {
      args: [
        `--git-dir=${isLoose ? folder.path : place.gitDir}`,
        `--work-tree=${place.top}`,
        ...fixedSettings.flatMap((one) => ["-c", one]),
      ],
      variables: { ...fixedVariables, ...dataVariables(place, settings, env), GIT_COMMON_DIR: folder.path },
      close: folder.close,
    };
  } catch (error) {
    throw withCleanUp(storeError("make git's folder in", tmpdir(), error), folder.close);
  }
}

/** The person's own ignore rules, where git would look for them; the file may be missing. */
export function excludesFile(place: GitPlace, settings: GitSettings, env: NodeJS.ProcessEnv): string {
  const set = settingPath(place, settings, "core.excludesfile", env);
  if (set !== null) return set;
  const base = env.XDG_CONFIG_HOME;
  const folder = base !== undefined && isAbsolute(base) ? base : join(env.HOME ?? homedir(), ".config");
  return join(folder, "git", "ignore");
}

const settingsSeen = createStatCache<{ settings: Promise<GitSettings> | null }>();

/**
 * A pass calls git some fifty times and takes only data from the settings, so file stats are enough. `isOwn`: only this
 * process has written to the repository.
 */
export async function knownSettings(place: GitPlace, env: NodeJS.ProcessEnv, isOwn = false): Promise<GitSettings> {
  const home = env.HOME ?? homedir();
  const files = [
    join(place.commonDir, "config"),
    join(place.gitDir, "config.worktree"),
    env.GIT_CONFIG_GLOBAL ?? join(home, ".gitconfig"),
    join(env.XDG_CONFIG_HOME ?? join(home, ".config"), "git", "config"),
  ];
  const seen = settingsSeen(files, () => ({ settings: null }), isOwn);
  // Concurrent calls share one reading.
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
  // A pipe there would block git forever.
  data.push(["core.excludesFile", isRegularFile(rules) ? rules : "/dev/null"]);
  return settingVariables(data);
}

const exclude = join("info", "exclude");

function looseLinks({ commonDir }: GitPlace): Links {
  return isRegularFile(join(commonDir, exclude)) ? [[exclude, join(commonDir, exclude)]] : [];
}

function partLinks({ commonDir }: GitPlace): Links {
  const folders = ["refs", "objects", "worktrees", "reftable", "logs"];
  const files = ["packed-refs", "shallow", exclude];
  return [
    ...folders.filter((name) => leadsToFolder(join(commonDir, name))),
    // Git creates a missing packed-refs, and must do so in the repository.
    ...files.filter(
      (name) =>
        isRegularFile(join(commonDir, name)) || (name === files[0] && statEntry(join(commonDir, name)) === null),
    ),
  ].map((name) => [name, join(commonDir, name)]);
}

function isRegularFile(path: string): boolean {
  return lookOr(() => statSync(realpathSync(path)).isFile(), false);
}
