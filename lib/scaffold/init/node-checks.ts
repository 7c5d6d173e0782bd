import path from "node:path";
import { readStrictYaml } from "../../documents/strict-yaml.ts";
import { findMatching, matcherOf } from "../../store/glob-paths.ts";
import { asObject } from "../../text/json-object.ts";
import { watchesUnlessCi } from "../../text/watching.ts";
import { type FoundCheck, type FoundChecks, foldersUp, type RepoFiles, repoFiles } from "./repo-files.ts";

const lockFiles: readonly (readonly [string, Manager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];
type Manager = "npm" | "pnpm" | "yarn" | "bun";

const typeScripts = ["typecheck", "type-check", "check-types", "types", "tsc"];

/** The scripts of package.json, called at the top of the repo by the package manager that it or a lock file names. */
export function nodeChecks(files: RepoFiles, folder: string, top: string): FoundChecks {
  const manifest = files.json("package.json");
  if (manifest === null) return { checks: [], notes: [] };
  const scripts = asObject(manifest.scripts) ?? {};
  const { manager, because } = findManager(folder);
  const call = callsFrom(manager, { folder, top, name: manifest.name });
  const script = (name: string) =>
    typeof scripts[name] === "string" && scripts[name].trim() !== "" ? scripts[name] : null;
  const check = (kind: FoundCheck["name"], name: string, before: readonly string[] = []): FoundCheck => ({
    name: kind,
    command: [...before, ...call(name)],
    why: `package.json has a ${name} script${because}`,
  });
  const test = script("test");
  const types = typeScripts.find((name) => script(name) !== null);
  const checks = [
    ...(test === null || isPlaceholder(test)
      ? []
      : [check("tests", "test", watchesUnlessCi(test) ? ["env", "CI=true"] : [])]),
    ...(script("lint") === null ? [] : [check("lint", "lint")]),
    ...(types === undefined ? [] : [check("types", types)]),
    ...(test === null ? everyPackage(manager, files, folder) : []),
  ];
  const notes =
    test !== null && isPlaceholder(test) ? ["the test script of package.json is npm's default, which fails"] : [];
  return { checks, notes };
}

/** What `npm init` writes. */
function isPlaceholder(script: string): boolean {
  return /\bno test specified\b/.test(script);
}

/** How a script of this package is called at the top of the repo. */
function callsFrom(
  manager: Manager,
  { folder, top, name }: { readonly folder: string; readonly top: string; readonly name: unknown },
): (script: string) => string[] {
  const inside = path.relative(top, folder);
  // `bun test` is bun's own test runner.
  const words = (script: string) => (script === "test" && manager !== "bun" ? [script] : ["run", script]);
  if (inside === "") return (script) => [manager, ...words(script)];
  const isMember = matcherOf(memberGlobs(repoFiles(top)))(`${inside}/package.json`);
  if (manager === "bun") return (script) => ["bun", "run", `--cwd=${inside}`, script];
  if (manager === "npm" && isMember) return (script) => ["npm", ...words(script), "--workspace", inside];
  if (manager === "pnpm" && isMember) return (script) => ["pnpm", "--filter", `./${inside}`, ...words(script)];
  if (manager === "yarn" && isMember && typeof name === "string")
    return (script) => ["yarn", "workspace", name, ...words(script)];
  const flag = { npm: "--prefix", pnpm: "--dir", yarn: "--cwd" }[manager];
  return (script) => [manager, flag, inside, ...words(script)];
}

/** The manifests of the packages of a workspace, as globs; none if this folder is the top of no workspace. */
function memberGlobs(files: RepoFiles): string[] {
  const own = files.json("package.json")?.workspaces;
  const text = files.text("pnpm-workspace.yaml");
  const yaml = text === null ? null : readStrictYaml({ text, file: "pnpm-workspace.yaml", linesBefore: 0 });
  const listed = yaml?.kind === "yaml" ? asObject(yaml.value)?.packages : (asObject(own)?.packages ?? own);
  const globs = Array.isArray(listed) ? listed.filter((one) => typeof one === "string" && !one.startsWith("!")) : [];
  return globs.map((glob) => path.posix.join(glob, "package.json"));
}

/** The tests of all packages, where only these have some. */
function everyPackage(manager: Manager, files: RepoFiles, folder: string): FoundCheck[] {
  const globs = memberGlobs(files);
  const found = (globs.length === 0 ? [] : findMatching(folder, globs)).find((file) => {
    const test = file.includes("node_modules/") ? null : asObject(files.json(file)?.scripts)?.test;
    return typeof test === "string" && !isPlaceholder(test);
  });
  if (found === undefined) return [];
  const isModern = files.has(".yarnrc.yml") || /^yarn@[2-9]/.test(String(files.json("package.json")?.packageManager));
  const each = {
    npm: ["test", "--workspaces", "--if-present"],
    pnpm: ["--recursive", "test"],
    yarn: ["workspaces", ...(isModern ? ["foreach", "--all"] : []), "run", "test"],
    bun: ["run", "--filter", "*", "test"],
  }[manager];
  return [{ name: "tests", command: [manager, ...each], why: `${found} has a test script` }];
}

/** Named by the nearest package.json or lock file, from the package up to the top of its repo and beyond. */
function findManager(folder: string): { manager: Manager; because: string } {
  for (const files of foldersUp(folder, path.parse(folder).root).map(repoFiles)) {
    const named = /^(npm|pnpm|yarn|bun)@/.exec(String(files.json("package.json")?.packageManager ?? ""))?.[1];
    if (named !== undefined)
      return { manager: named as Manager, because: named === "npm" ? "" : `, and names ${named}` };
    const lock = lockFiles.find(([name]) => files.has(name));
    if (lock !== undefined)
      return { manager: lock[1], because: lock[1] === "npm" ? "" : `, and there is a ${lock[0]}` };
    if (files.has(".git")) break;
  }
  return { manager: "npm", because: "" };
}
