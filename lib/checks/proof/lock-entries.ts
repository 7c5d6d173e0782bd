import { addTo } from "../../text/add-to.ts";
import { isObject, type JsonObject, parseObject } from "../../text/json-object.ts";

/** Where a package manager puts packages, so that a list of one says nothing about those of another. */
export type Ecosystem = "node" | "python" | "vendor";

/**
 * What a list of dependencies says of each package: by the folder below the list's own that npm names, else by its name.
 * The value changes with the package, and with nothing else that a package manager writes there.
 */
export type LockEntries = ReadonlyMap<string, string>;

interface LockKind {
  readonly files: RegExp;
  readonly ecosystem: Ecosystem;
  /** False if it names what a person asked for, and not what these packages need in turn. */
  readonly isWhole: boolean;
  /** Null if it cannot be read. */
  readonly read: (text: string) => LockEntries | null;
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** All versions of one name are one value. */
function gather(pairs: Pairs): LockEntries {
  const found = new Map<string, string[]>();
  for (const [name, value] of pairs) addTo(found, name, value);
  return new Map([...found].map(([name, values]) => [name, [...new Set(values)].sort().join("\n")]));
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** A mirror has other addresses for the same bytes. */
function npmValue({ version, integrity, resolved, link }: JsonObject): string {
  return JSON.stringify([version ?? null, integrity ?? resolved ?? null, link === true]);
}

function npmTree(dependencies: unknown, above: string): Pairs {
  return Object.entries(isObject(dependencies) ? dependencies : {}).flatMap(([name, entry]) => {
    const folder = `${above}node_modules/${name}`;
    return isObject(entry) ? [[folder, npmValue(entry)] as const, ...npmTree(entry.dependencies, `${folder}/`)] : [];
  });
}

function readNpm(content: string): LockEntries | null {
  const lock = parseObject(content);
  if (lock === null) return null;
  if (!isObject(lock.packages)) return gather(npmTree(lock.dependencies, ""));
  const packages = Object.entries(lock.packages).filter(([folder]) => folder.includes("node_modules/"));
  return gather(packages.flatMap(([folder, entry]) => (isObject(entry) ? [[folder, npmValue(entry)] as const] : [])));
}

/** Blocks of lines, each from a line that names a package to the next one, with those of its lines that say which. */
function readBlocks(starts: RegExp, says: RegExp, from = /(?:)/): (content: string) => LockEntries {
  return (content) => {
    const lines = content.split(/\r?\n/);
    const first = lines.findIndex((line) => from.test(line));
    const blocks: [string, string][] = [];
    for (const line of first < 0 ? [] : lines.slice(first)) {
      const start = starts.exec(line);
      if (start !== null) blocks.push([start[1] ?? "", start[2] ?? ""]);
      const last = blocks.at(-1);
      if (last !== undefined && says.test(line)) last[1] += `\n${line.trim()}`;
    }
    return gather(blocks);
  };
}

/** Blocks of TOML, whose name is a line of its own. */
const readToml = readBlocks(
  /^name = "([^"]+)"/,
  /^(?:version|source|checksum|type|url|reference|resolved_reference) ?=/,
  /^\[\[package\]\]/,
);

/** One line for each package; what follows a `#` or a hash says nothing of the version. */
function readLines(line: RegExp): (content: string) => LockEntries {
  return (content) =>
    gather(
      content.split(/\r?\n/).flatMap((one) => {
        const found = line.exec(one);
        return found === null ? [] : [[found[1] ?? "", (found[2] ?? "").trim()] as const];
      }),
    );
}

/** The packages of some keys of a JSON file: a list of them with their names, or a map by name. */
function readJson(keys: readonly string[], value: (entry: unknown) => string): (content: string) => LockEntries | null {
  return (content) => {
    const root = parseObject(content);
    if (root === null) return null;
    const lists = keys.map((key) => root[key]);
    return gather(
      lists.flatMap((list) => {
        const named = Array.isArray(list)
          ? list.map((entry: unknown) => [isObject(entry) ? text(entry.name) : "", entry] as const)
          : Object.entries(isObject(list) ? list : {});
        return named.map(([name, entry]) => [name, value(entry)] as const);
      }),
    );
  };
}

const named = (pattern: string): RegExp => new RegExp(`(?:^|/)(?:${pattern})$`);
const lock = (files: string, ecosystem: Ecosystem, read: LockKind["read"]): LockKind => ({
  ...{ files: named(files), ecosystem, isWhole: true, read },
});
const asked = (files: string, ecosystem: Ecosystem, read: LockKind["read"]): LockKind => ({
  ...lock(files, ecosystem, read),
  isWhole: false,
});
const version = (entry: unknown): string =>
  isObject(entry) ? JSON.stringify([entry.version, entry.ref, entry.source, entry.dist]) : JSON.stringify(entry);
const npmKeys = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/** Lockfiles, and lists that a person writes where no lockfile is needed. */
const lockKinds: readonly LockKind[] = [
  lock("package-lock\\.json|npm-shrinkwrap\\.json", "node", readNpm),
  lock(
    "pnpm-lock\\.yaml",
    "node",
    readBlocks(/^ {2}['"]?\/?((?:@[^/]+\/)?[^@/\s'":]+)[@/](.+?)['"]?:$/, /^ {4}resolution:/, /^packages:/),
  ),
  lock("yarn\\.lock", "node", readBlocks(/^"?(@?[^@\s"]+)@/, /^ {2}"?(?:version|resolution|integrity|checksum)"?:? /)),
  lock("bun\\.lock", "node", readLines(/^\s+"[^"]+": \["((?:@[^/"]+\/)?[^@"]+)@(.*)\],?$/)),
  lock("bun\\.lockb", "node", () => null),
  lock("poetry\\.lock|uv\\.lock|pdm\\.lock", "python", readToml),
  lock("Pipfile\\.lock", "python", readJson(["default", "develop"], version)),
  asked("requirements[^/]*\\.(?:txt|in)", "python", readLines(/^\s*(?:-e\s+)?([A-Za-z0-9][\w.-]*)([^#;\\]*)/)),
  lock("Cargo\\.lock", "vendor", readToml),
  lock("go\\.sum", "vendor", readLines(/^(\S+) (?!\S+\/go\.mod )(\S+ \S+)$/)),
  lock("composer\\.lock", "vendor", readJson(["packages", "packages-dev"], version)),
  lock("Gemfile\\.lock", "vendor", readLines(/^ {4}(\S+) \((.+)\)$/)),
];

/** Read where an ecosystem has no lockfile at all. */
const manifestKinds: readonly LockKind[] = [
  asked("package\\.json", "node", readJson(npmKeys, version)),
  asked(
    "pyproject\\.toml|setup\\.(?:py|cfg)|Pipfile",
    "python",
    readLines(/^\s*["']?([A-Za-z][\w.-]*)\s*(?:["']?\s*=\s*)?(.*)$/),
  ),
  asked("composer\\.json", "vendor", readJson(["require", "require-dev"], version)),
  asked("Gemfile", "vendor", readLines(/^\s*gem ["']([^"']+)["'](.*)$/)),
  asked("go\\.mod", "vendor", readLines(/^(?:require )?\s*(\S+\.\S+\/\S+) (v\S+)/)),
  asked("Cargo\\.toml", "vendor", readLines(/^([\w-]+) = (.+)$/)),
];

/** Null for a path that names no dependencies. */
export function lockKind(path: string): LockKind | null {
  return lockKinds.find(({ files }) => files.test(path)) ?? null;
}

export function manifestKind(path: string): LockKind | null {
  return manifestKinds.find(({ files }) => files.test(path)) ?? null;
}
