// Writes the plugin that Claude Code and Codex install: node scripts/plugin-files.mjs [--check]
//
// Its skill is templates/SKILL.md, its hook that of `init --hook`, and its names and version are those of package.json. Both programs read the same
// skills; each has a manifest and a list of plugins of its own. With --check nothing is written, and the exit code is 1 if
// a file is out of date.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { onlyStopHook } from "../dist/lib/scaffold/init/stop-hook.js";

const project = fileURLToPath(new URL("../", import.meta.url));
const readText = (name) => readFileSync(path.join(project, name), "utf8");

/** The text of each file by its path in this repo. */
export function makePluginFiles() {
  const { name, version, description, license } = JSON.parse(readText("package.json"));
  const manifest = { name, version, description, license };
  const skill = readText("templates/SKILL.md");
  return {
    "plugin/.claude-plugin/plugin.json": toJson(manifest),
    "plugin/.codex-plugin/plugin.json": toJson({ ...manifest, skills: "./skills/" }),
    "plugin/hooks/hooks.json": onlyStopHook,
    [`plugin/skills/${name}/SKILL.md`]: skill,
    ".claude-plugin/marketplace.json": toJson({
      name,
      owner: { name },
      plugins: [{ name, source: "./plugin", description }],
    }),
    ".agents/plugins/marketplace.json": toJson({
      name,
      interface: { displayName: name },
      plugins: [
        {
          name,
          source: { source: "local", path: "./plugin" },
          policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
          category: "Productivity",
        },
      ],
    }),
  };
}

function toJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const check = process.argv.includes("--check");
  for (const [name, text] of Object.entries(makePluginFiles())) {
    const file = path.join(project, name);
    if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
    console.log(check ? `${name} is out of date: npm run docs` : `brought ${name} up to date`);
    if (check) process.exitCode = 1;
    else {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
}
