import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { makeWorld, projectRoot } from "../cli/arrange.ts";
import { readImports, readSources } from "./read-imports.ts";

interface Licences {
  readonly allowedLicences: readonly string[];
  packageFolders(files: readonly string[]): string[];
  listLicences(root: string, folders: readonly string[]): string;
}

const script = path.join(projectRoot, "scripts", "bundle", "licences.mjs");
const manifest = JSON.parse(readFileSync(path.join(projectRoot, "package.json"), "utf8")) as {
  peerDependencies: Readonly<Record<string, string>>;
};
const { allowedLicences, listLicences, packageFolders } = (await import(pathToFileURL(script).href)) as Licences;
const shipped = path.join(projectRoot, "dist", "THIRD-PARTY.txt");
const skip = !existsSync(shipped) && "built without esbuild";

test("each package that lib/ imports is named with its version and its licence, and so is the native one", {
  skip,
}, () => {
  const text = readFileSync(shipped, "utf8");
  const imported = readSources(path.join(projectRoot, "lib")).flatMap((source) => readImports(source.text));
  const names = imported.filter((name) => !/^(?:\.|node:)/.test(name)).map((name) => packageOf(name));
  const lock = JSON.parse(readFileSync(path.join(projectRoot, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, { version: string; license: string }>>;
  };
  // Whoever needs them installs them: of these lib/ has the types alone.
  const peers = Object.keys(manifest.peerDependencies);
  const packages = [...new Set([...names, "fs-native-extensions"])].filter(
    (name) => ![...peers, "mdast"].includes(name),
  );
  assert.ok(packages.length > 10);
  for (const name of packages) {
    const about = lock.packages[`node_modules/${name}`];
    assert.ok(text.includes(`\n${name} ${about?.version}: ${about?.license}\n\n`), name);
    assert.ok(allowedLicences.includes(about?.license ?? ""), name);
  }
  assert.deepEqual(peers, ["@opentelemetry/api", "pg", "pg-boss"]);
  assert.ok(peers.every((name) => names.includes(name)));
  assert.doesNotMatch(text, new RegExp(`^(?:${peers.join("|")}) `, "m"));
});

/** The package of a module, with its scope. */
function packageOf(name: string): string {
  return name.split("/", name.startsWith("@") ? 2 : 1).join("/");
}

test("a licence that is not allowed, or unreadable, ends the build", (t) => {
  const world = makeWorld(t);
  const put = (name: string, about: object, files: Readonly<Record<string, string>>) => {
    world.write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: "1.0.0", ...about }));
    for (const [file, text] of Object.entries(files)) world.write(`node_modules/${name}/${file}`, text);
    return () => listLicences(world.folder, [`node_modules/${name}`]);
  };
  assert.match(
    put("plain", { license: "MIT" }, { "license.md": "Free.\n", NOTICE: "By us." })(),
    /plain 1\.0\.0: MIT\n\nBy us\.\n\nFree\.\n/,
  );
  const old = put(
    "old",
    { licenses: [{ type: "ISC" }] },
    { "Readme.md": "# Old\n\nUse it.\n\nLicense\n=======\n\n2010 by us\n" },
  );
  assert.match(old(), /old 1\.0\.0: ISC\n\nLicense\n=======\n\n2010 by us\n$/);
  assert.throws(put("viral", { license: "GPL-3.0" }, { LICENSE: "Share." }), /viral 1\.0\.0 has the licence GPL-3\.0/);
  assert.throws(put("none", {}, { LICENSE: "?" }), /none 1\.0\.0 has the licence undefined/);
  assert.throws(
    put("mute", { license: "MIT" }, { "README.md": "Under a licence.\n" }),
    /mute has no text of its licence/,
  );
});

test("the package of a file is the innermost one", () => {
  const files = ["lib/a.ts", "node_modules/a/b.js", "node_modules/a/node_modules/@c/d/e.js", "node_modules/a/f.js"];
  assert.deepEqual(packageFolders(files), ["node_modules/a", "node_modules/a/node_modules/@c/d"]);
});
