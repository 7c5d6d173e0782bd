import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isWritable } from "../../store/folder.ts";

/**
 * Which home folder the checks of a copy see: the user's own, or one that is made for them and empty. With the user's
 * own the copy also has the name of the repo's folder; it is for repos that cannot be judged without.
 */
export type CellHome = "private" | "own";

/**
 * What tools keep in the home folder and find again by a variable: caches and toolchains, none of which decides what a
 * check does. Settings are not among them, since a pass could write those.
 */
const kept: readonly (readonly [variable: string, path: string])[] = [
  ["GOMODCACHE", "go/pkg/mod"],
  ["GOCACHE", ".cache/go-build"],
  ["RUSTUP_HOME", ".rustup"],
  ["npm_config_cache", ".npm"],
  ["COREPACK_HOME", ".cache/node/corepack"],
  ["PIP_CACHE_DIR", ".cache/pip"],
  ["PYENV_ROOT", ".pyenv"],
  ["RBENV_ROOT", ".rbenv"],
  ["NVM_DIR", ".nvm"],
  ["VOLTA_HOME", ".volta"],
  ["ASDF_DATA_DIR", ".asdf"],
  ["MISE_DATA_DIR", ".local/share/mise"],
  ["GIT_CONFIG_GLOBAL", ".gitconfig"],
];
/** Those that a tool makes and fills as it runs: on a new machine, only the first of the runs. */
const filled = new Set(["GOMODCACHE", "GOCACHE", "npm_config_cache"]);
/** Where programs look for what a user has set and written; without them they look in the home folder. */
const places = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];
/** The parts of cargo's home that are needed: downloads and programs. Its config.toml could replace the test runner. */
const cargoParts = ["registry", "git", "bin"];

/**
 * The environment with an empty home folder, made in `temporary`: work and settings that a pass left in the user's own
 * have no part in what a check says. Caches and toolchains lead to the user's own. Throws if it cannot be made.
 */
export function withPrivateHome(
  env: Readonly<Record<string, string>>,
  home: string,
  temporary: string,
): Record<string, string> {
  const own = join(temporary, "home");
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const found = kept.flatMap(([variable, path]): [string, string][] => {
    const there = findOwn(env, home, path);
    const isUsable = existsSync(there) || (filled.has(variable) && existsSync(home) && isWritable(there));
    return env[variable] === undefined && isUsable ? [[variable, there]] : [];
  });
  const rest = Object.entries(env).filter(([name]) => !places.includes(name));
  return {
    ...Object.fromEntries([...rest, ...found]),
    HOME: own,
    // From its cache go answers for a test that starts a program of the work as another process: it does not see that file.
    GOFLAGS: ["-count=1", ...(env.GOFLAGS ? [env.GOFLAGS] : [])].join(" "),
    CARGO_HOME: makeCargoHome(env.CARGO_HOME ?? join(home, ".cargo"), join(own, ".cargo")),
  };
}

/** Where a tool that keeps to the XDG base directories has it. */
function findOwn(env: Readonly<Record<string, string>>, home: string, path: string): string {
  const [, cached] = /^\.cache\/(.+)$/u.exec(path) ?? [];
  const [, data] = /^\.local\/share\/(.+)$/u.exec(path) ?? [];
  if (cached !== undefined && env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, cached);
  return data !== undefined && env.XDG_DATA_HOME ? join(env.XDG_DATA_HOME, data) : join(home, path);
}

function makeCargoHome(from: string, to: string): string {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const part of cargoParts) {
    if (existsSync(join(from, part)) && !existsSync(join(to, part))) symlinkSync(join(from, part), join(to, part));
  }
  return to;
}
