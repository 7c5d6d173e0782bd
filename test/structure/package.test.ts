import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { makeWorld, projectRoot } from "../cli/arrange.ts";

interface Package {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(path.join(projectRoot, "package.json"), "utf8")) as Package;

/** The files that `npm pack` would put into the tarball; it asks no network. */
function listPacked(): string[] {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"];
  const text = execFileSync("npm", args, { cwd: projectRoot, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [packed] = JSON.parse(text) as readonly { files: readonly { path: string }[] }[];
  return packed?.files.map((file) => file.path) ?? [];
}

/** What README.md says the tarball leaves out: the sample, the measurements and the pages for developers. */
const leftOut =
  /^docs\/(?:sample\/|(?:truth|reliability|benchmarks)\.md$)|^(?:AGENTS|ARCHITECTURE|CHANGELOG|CONTRIBUTING)\.md$/;

// Without esbuild, as after a pull before npm ci, there is no bundle.
const skip = !existsSync(path.join(projectRoot, "dist", "task-phase.cjs")) && "built without esbuild";

test("the tarball has the programs, the templates, the example and the documents, and nothing that only this checkout needs", {
  skip,
}, () => {
  const files = listPacked();
  for (const name of [
    ...Object.values(manifest.bin),
    "bin/package.json",
    "dist/prompts.json",
    "dist/grammars.cjs",
    "README.md",
    "LICENSE",
    "docs/cli.md",
  ])
    assert.ok(files.includes(name), name);
  for (const folder of ["templates", "tasks.example"]) {
    const entries = readdirSync(path.join(projectRoot, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const name = path.relative(projectRoot, path.join(entry.parentPath, entry.name));
      // These are in dist/prompts.json.
      if (name.startsWith("templates/prompts/")) continue;
      assert.ok(files.includes(name), name);
    }
  }
  assert.deepEqual(
    files.filter(
      (name) =>
        leftOut.test(name) ||
        /\.(?:map|ts)$|^(?:test|scripts|dist\/(?:lib|test|scripts)|lib|templates\/prompts)\/|^dist\/modules\.json$/.test(
          name,
        ),
    ),
    [],
  );
});

test("a link of a packed document leads into the tarball, or to what README.md says is not in it", { skip }, () => {
  const files = listPacked();
  const links = files
    .filter((name) => /^(?:docs\/)?[\w-]+\.md$/.test(name))
    .flatMap((name) => {
      const text = readFileSync(path.join(projectRoot, name), "utf8").replace(/^(```+)[\s\S]*?^\1$/gm, "");
      const found = [...text.matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)].map(([, link = ""]) => link);
      return found.map((link) => ({ name, to: path.join(path.dirname(name), link) }));
    });
  assert.ok(links.length > 50, `${links.length} links`);
  const isThere = (to: string) => leftOut.test(to) || files.some((file) => file === to || file.startsWith(`${to}/`));
  assert.deepEqual(
    links.filter(({ to }) => !isThere(to)),
    [],
  );
});

test("the packed files run in an empty folder", { skip }, async (t) => {
  const world = makeWorld(t);
  const modules = world.path("node_modules");
  assert.equal(manifest.dependencies, undefined);
  for (const name of listPacked()) {
    const to = path.join(modules, "task-phase", name);
    mkdirSync(path.dirname(to), { recursive: true });
    cpSync(path.join(projectRoot, name), to);
  }
  world.initRepo({ "package.json": JSON.stringify({ scripts: { test: "node --test" } }) });
  const call = (...words: string[]) =>
    execFileSync(process.execPath, [path.join(modules, "task-phase/bin/task-phase"), ...words], {
      cwd: world.path("repo"),
      env: world.env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  assert.equal(call("--version"), `${manifest.version}\n`);
  assert.equal(call("init", "Round half up"), `${world.path("repo/tasks/T-1-round-half-up")}\n`);
  assert.equal((JSON.parse(call("status", "--json")) as { exit_code: number }).exit_code, 0);
  assert.equal((JSON.parse(call("check", "T-1", "--json")) as { exit_code: number }).exit_code, 0);
});
