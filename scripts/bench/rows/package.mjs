import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../checkout.mjs";
import { plainRow } from "./row.mjs";

const ids = ["package.packed", "package.installed", "package.count"];

/** The tarball, and what installing it for use leaves on the disk. Needs npm's cache or its registry. */
export function measurePackage({ folder }) {
  const packed = callNpm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], checkout);
  if (packed.status !== 0) return ids.map((id) => ({ id, why: `npm pack failed: ${lastLine(packed.stderr)}` }));
  const [{ filename, size }] = JSON.parse(packed.stdout);
  const sizeRow = plainRow("package.packed", "the package, packed", "KB", size / 1000);
  const into = join(folder, "installed");
  mkdirSync(into);
  writeFileSync(join(into, "package.json"), "{}\n");
  const words = ["install", "--omit=dev", "--no-audit", "--no-fund", "--ignore-scripts", join(folder, filename)];
  const tries = [["--offline"], []].map((more) => () => callNpm([...words, ...more], into));
  const end = tries.reduce((before, install) => (before?.status === 0 ? before : install()), null);
  if (end.status !== 0) {
    return [sizeRow, ...ids.slice(1).map((id) => ({ id, why: `npm install failed: ${lastLine(end.stderr)}` }))];
  }
  const modules = join(into, "node_modules");
  const { packages } = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8"));
  return [
    sizeRow,
    plainRow("package.installed", "the package, installed: room on the disk", "MB", diskBytes(modules) / 1e6),
    plainRow("package.count", "the package, installed: packages", "", Object.keys(packages).length),
  ];
}

function callNpm(words, cwd) {
  return spawnSync("npm", words, { cwd, encoding: "utf8", maxBuffer: 1 << 26 });
}

function lastLine(text) {
  return (text ?? "npm is not installed").trim().split("\n").at(-1);
}

/** In blocks, as the disk counts. */
function diskBytes(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => lstatSync(join(folder, name)).blocks * 512)
    .reduce((sum, bytes) => sum + bytes, 0);
}
