import { dirname, extname, join } from "node:path";
import type { CheckResult } from "../../rules/check-run.ts";
import { escapePattern } from "../../text/escape-pattern.ts";
import { isObject } from "../../text/json-object.ts";
import { namesFile } from "./data-words.ts";
import type { RepoVersion } from "./expected-data.ts";
import { lastPart } from "./places.ts";
import type { WatchInput, WatchRecord } from "./record.ts";
import { parseToml } from "./setting-parts.ts";
import { isCode, isForeign, testClass } from "./test-paths.ts";

/** A folder of modules that only tests load; `manifest` is what leads there, if it leads elsewhere now. */
interface TestFolder {
  readonly folder: string;
  readonly manifest: string | null;
}

/** Headers that may define assertions. A library may be headers, too, which nothing but its tests includes. */
const testHeaders =
  /(?:^|\/)(?:(?:(?:my|mini|micro|simple|tiny|unit)[_-])?(?:unit|acu|cu|doc|grea|mini|pico|sea|tiny|[a-z])?tests?(?:ing|er)?|(?:[^/]*[_-]|my)?assert(?:ion)?s?|checks?|expect|unity|m(?:in)?unit|c(?:pp)?unit|tap|catch2?)(?:[_-]?(?:amalgamated|cases?|common|fixtures?|framework|harness|helpers?|internals?|lib|macros?|main|runner|support|tools|utils?))?\.h(?:h|pp|xx)?$/i;
const ofC = /\.(?:cc?|cpp|cxx|hh?|hpp|mm?)$/;

/**
 * Code that differs from pass 1 and that only tests and checks load: a vendored module, or one that go.mod replaces, which
 * test files import and no source does; such a header of assertions; a crate that only [dev-dependencies] name; a module
 * beside a script of a check that this imports; a new module under a name that tests load from outside of the repo, such
 * as `lib/minitest/autorun.rb`. It belongs to the checks' side, with the manifest that leads there. Repo paths, sorted.
 * `earlier`: the results before the work.
 */
export function findTestModules(
  record: WatchRecord,
  { entries }: WatchInput,
  before: RepoVersion,
  readNow: (path: string) => string | null,
  earlier: readonly CheckResult[] = [],
): string[] {
  const changed = [...new Set([...before.entries.keys(), ...entries.keys()])].filter(
    (path) => before.entries.get(path) !== entries.get(path),
  );
  const isCandidate = (path: string) => isCode(path) || /(?:^|\/)(?:go\.mod|Cargo\.toml)$/.test(path);
  if (!changed.some(isCandidate)) return [];
  const code = [...before.entries.keys()].filter(isCode);
  const textsOf = (paths: readonly string[]) => paths.map((path) => ({ path, text: before.read(path) ?? "" }));
  const tests = textsOf(code.filter((path) => testClass(path) !== null));
  const sources = textsOf(code.filter((path) => testClass(path) === null && !isForeign(path)));
  /** Whether test files name a module by its import path, and nothing outside its own folder does. */
  const isOnlyOfTests = (name: string, folder: string): boolean => {
    const names = ({ text }: { readonly text: string }) => text.includes(`"${name}"`) || text.includes(`"${name}/`);
    return tests.some(names) && !sources.some((one) => !one.path.startsWith(`${folder}/`) && names(one));
  };
  const folders = [...readReplaced(before, readNow, isOnlyOfTests), ...readCrates(before, readNow)];
  const scripts = textsOf(
    record.things.flatMap(({ kind, name }) => (kind === "check_file" && isCode(name) ? [name] : [])),
  );
  const takesPlace = findShadows(before, entries, { tests, sources }, earlier);
  const found = changed.filter((path) => {
    if (takesPlace(path)) return true;
    if (testHeaders.test(path)) {
      const names = namesFile(path);
      const includes = ({ text }: { readonly text: string }) =>
        text.split("\n").some((line) => /^\s*#\s*include\b/.test(line) && names.test(line));
      if (!tests.some(includes)) return false;
      // A new assert.h comes before that of the compiler, which sources include, too.
      const isThere = [...before.entries.keys()].some((one) => lastPart(one) === lastPart(path));
      if (!isThere && didLoad(earlier)) return true;
      const isAlone = !sources.some((one) => one.path !== path && ofC.test(one.path));
      return !sources.some(includes) && !isAlone;
    }
    const vendored = /(?:^|\/)vendor\/(.+)\/[^/]+$/.exec(path)?.[1];
    if (vendored !== undefined) return isOnlyOfTests(vendored, dirname(path));
    if (folders.some(({ folder }) => path.startsWith(`${folder}/`))) return true;
    const loaders = scripts.filter((script) => loadsBeside(script, path));
    return (
      loaders.length > 0 &&
      !sources.some((one) => !loaders.some(({ path: own }) => own === one.path) && loadsBeside(one, path))
    );
  });
  const manifests = folders.flatMap(({ manifest }) => (manifest === null ? [] : [manifest]));
  return [...new Set([...found, ...manifests])].sort();
}

interface Text {
  readonly path: string;
  readonly text: string;
}

/** How the languages load modules by names that the repo, or else the machine, may have. */
const loadForms: Readonly<Record<string, RegExp>> = {
  ".py": /^[ \t]*(?:from[ \t]+(\w+)|import[ \t]+(\w[\w., \t]*))/gm,
  ".rb": /^[ \t]*require[ (]*["']([\w-]+)/gm,
  ".pm": /^[ \t]*(?:use|require)[ \t]+(\w+)/gm,
  ".lua": /^.*?\brequire[ (]*["']([\w-]+)/gm,
};

/** The names that a form finds; `always`: but for those in a block, which may be loaded under a condition. */
function namesIn(texts: readonly Text[], form: RegExp, always: boolean): ReadonlySet<string> {
  const found = texts.flatMap(({ text }) => [...text.matchAll(form)]);
  const lists = found.flatMap(([line, one, list = ""]) => (always && /^\s/.test(line) ? [] : (one ?? list).split(",")));
  return new Set(lists.map((name) => /\w[\w-]*/.exec(name)?.[0] ?? ""));
}

/**
 * Whether a path is a new module that comes between tests and what they loaded from outside of the repo: they were loaded
 * before, no path of the repo had the first part of that name, and no source loads it. `json.py` in a package is another
 * name: only a folder that is none of the names can be one that modules are searched for in.
 */
function findShadows(
  { entries }: RepoVersion,
  now: WatchInput["entries"],
  { tests, sources }: { readonly tests: readonly Text[]; readonly sources: readonly Text[] },
  earlier: readonly CheckResult[],
): (path: string) => boolean {
  if (!didLoad(earlier)) return () => false;
  const there = new Set([...entries.keys()].flatMap((path) => path.match(/(?<=^|\/)[^/.]+(?=[/.])/g) ?? []));
  const said = earlier.map(({ status, excerpt }) => (status === "pass" ? "" : excerpt)).join("\n");
  /** One of several test files may have waited for it, which the others do not show. */
  const isMissing = (name: string) =>
    new RegExp(`\\b(?:[Mm]odule (?:named )?|locate |load such file -- )['"]?${name}\\b`).test(said);
  const read = (form: RegExp) => {
    const used = namesIn(sources, form, false);
    const named = new Set([...used, ...namesIn(tests, form, false)]);
    const asked = [...namesIn(tests, form, true)];
    return { named, asked: asked.filter((name) => !used.has(name) && !there.has(name) && !isMissing(name)) };
  };
  /** Python takes a folder without __init__.py last, and modules of Perl share the first part of a name, such as `File`. */
  const isTaken = (parts: readonly string[], at: number, end: string): boolean => {
    if (end === ".py") return at === parts.length - 1 || now.has(`${parts.slice(0, at + 1).join("/")}/__init__.py`);
    const whole = parts.slice(at).join("::");
    return end !== ".pm" || whole.startsWith("Test") || tests.some(({ text }) => text.includes(whole));
  };
  const forms = new Map<string, ReturnType<typeof read>>();
  return (path) => {
    const end = extname(path);
    const form = loadForms[end];
    if (form === undefined || entries.has(path) || testClass(path) !== null) return false;
    const { named, asked } = forms.get(end) ?? read(form);
    forms.set(end, { named, asked });
    const parts = path.slice(0, -end.length).split("/");
    const isRoot = ([folder = "", ...above]: readonly string[]) =>
      /^(?:src|lib)?$/.test(folder) ||
      (above.length === 0 && !named.has(folder) && !entries.has(`${folder}/__init__.py`));
    return asked.some((name) => {
      const at = parts.indexOf(name);
      return at >= 0 && isTaken(parts, at, end) && isRoot(parts.slice(0, at).reverse());
    });
  };
}

/** Whether the results before the work say that the tests could be loaded. */
function didLoad(earlier: readonly CheckResult[]): boolean {
  return earlier.length > 0 && earlier.every(({ failure }) => failure?.by !== "load");
}

/** The modules of go.mod that lead to a folder of the repo. */
function readReplaced(
  before: RepoVersion,
  readNow: (path: string) => string | null,
  isOnlyOfTests: (name: string, folder: string) => boolean,
): TestFolder[] {
  const read = (text: string | null) => {
    const found = (text ?? "").matchAll(/^(?:replace)?\s*(\S+)(?: v\S+)? => \.\/(\S+)/gm);
    return new Map([...found].map(([, name = "", to = ""]) => [name, to]));
  };
  const [was, is] = [read(before.read("go.mod")), read(readNow("go.mod"))];
  return [...was].flatMap(([name, folder]) =>
    isOnlyOfTests(name, folder) ? [{ folder, manifest: is.get(name) === folder ? null : "go.mod" }] : [],
  );
}

/** The crates of the repo that only [dev-dependencies] name: nothing but tests can use them. */
function readCrates(before: RepoVersion, readNow: (path: string) => string | null): TestFolder[] {
  const read = (text: string | null) => {
    const root = text === null ? null : parseToml(text);
    const of = (key: string) => (isObject(root) && isObject(root[key]) ? root[key] : {});
    const local = Object.entries(of("dev-dependencies")).filter(([name]) => !(name in of("dependencies")));
    const pathOf = (value: unknown) => (isObject(value) && typeof value.path === "string" ? [join(value.path)] : []);
    return new Map(local.flatMap(([name, value]) => pathOf(value).map((path) => [name, path] as const)));
  };
  return [...before.entries.keys()]
    .filter((path) => lastPart(path) === "Cargo.toml")
    .flatMap((manifest) => {
      const [was, is] = [read(before.read(manifest)), read(readNow(manifest))];
      return [...was].map(([name, path]) => ({
        folder: join(dirname(manifest), path),
        manifest: is.get(name) === path ? null : manifest,
      }));
    });
}

/** A script that runs whatever is beside it: `readdirSync(import.meta.dirname)`, `"$(dirname "$0")"/*.sh`. */
const listsItsFolder =
  /\b(?:readdir\w*|opendir\w*|scandir|listdir|iterdir|glob\w*)\b[^\n]*(?:import\.meta|__dirname|__file__)|(?:import\.meta\.\w+|__dirname|__file__)[^\n]*\b(?:readdir\w*|listdir|iterdir|glob)\b|dirname\s+(?:--\s+)?"?\$(?:0|\{?BASH_SOURCE)[^\n]*\/\*/;

/** Whether a file loads another one of its own folder, or of one below it; not of the repo's own, where the work is. */
export function loadsBeside({ path, text }: { readonly path: string; readonly text: string }, other: string): boolean {
  const folder = dirname(path);
  if (folder === "." || !other.startsWith(`${folder}/`) || !isCode(other)) return false;
  const inside = other.slice(folder.length + 1);
  const stem = inside.slice(0, inside.length - extname(inside).length);
  const module = escapePattern(stem.replaceAll("/", "."));
  const quotes = [`"./${inside}"`, `'./${inside}'`, `"./${stem}"`, `'./${stem}'`];
  return (
    (!inside.includes("/") && listsItsFolder.test(text)) ||
    quotes.some((one) => text.includes(one)) ||
    new RegExp(`^\\s*(?:from|import)\\s+\\.?${module}\\b`, "m").test(text)
  );
}
