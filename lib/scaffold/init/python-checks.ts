import { readdirSync } from "node:fs";
import path from "node:path";
import { orElse } from "../../text/attempt.ts";
import { asObject } from "../../text/json-object.ts";
import type { FoundCheck, RepoFiles } from "./repo-files.ts";

const requirements = ["requirements-dev.txt", "dev-requirements.txt", "requirements.txt"];
const marks = ["pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "manage.py", ...requirements];

export function pythonChecks(files: RepoFiles, repo: string): FoundCheck[] {
  const testFolder = ["tests", "test", "."].find((folder) => listTests(path.join(repo, folder)).length > 0);
  if (!marks.some((name) => files.has(name)) && (testFolder === undefined || files.has("package.json"))) return [];
  const tool = asObject(files.toml("pyproject.toml")?.tool) ?? {};
  const within = runnerOf(files, tool);
  const module = (name: string, ...words: string[]) =>
    within.length > 0 ? [...within, name, ...words] : [python(files), "-m", name, ...words];
  return [
    ...tests(),
    ...setUp("lint", "ruff.toml", "ruff", ["check", "."]),
    ...setUp("types", "mypy.ini", "mypy", ["."]),
  ];

  function tests(): FoundCheck[] {
    const pytest = whyPytest(files, tool);
    if (pytest !== null) return [{ name: "tests", command: module("pytest"), why: pytest }];
    if (files.has("tox.ini") || tool.tox !== undefined)
      return [{ name: "tests", command: ["tox"], why: "the repo is set up for tox" }];
    if (files.has("manage.py"))
      return [{ name: "tests", command: [...plain(), "manage.py", "test"], why: "the repo has a manage.py" }];
    if (testFolder === undefined) return [];
    const where = testFolder === "." ? [] : ["-s", testFolder];
    const found = listTests(path.join(repo, testFolder)).map((name) => path.join(testFolder, name));
    const asking = found.find((file) => forPytest.test(files.text(file) ?? ""));
    const own = found.find((file) => !path.basename(file).startsWith("test"));
    if (asking !== undefined || own !== undefined)
      return [{ name: "tests", command: module("pytest"), why: `${asking ?? own} is a test as pytest runs them` }];
    return [
      {
        name: "tests",
        command: [...plain(), "-m", "unittest", "discover", ...where],
        why: `${found[0]} exists, and nothing asks for pytest`,
      },
    ];
  }

  function plain(): string[] {
    return within.length > 0 ? [...within, "python"] : [python(files)];
  }

  function setUp(name: FoundCheck["name"], file: string, program: string, words: readonly string[]): FoundCheck[] {
    const from = [file, `.${file}`].find((each) => files.has(each));
    const where = tool[program] === undefined ? from : "pyproject.toml";
    const command = module(program, ...words);
    return where === undefined ? [] : [{ name, command, why: `${where} sets ${program} up` }];
  }
}

function runnerOf(files: RepoFiles, tool: Readonly<Record<string, unknown>>): string[] {
  if (files.has("uv.lock")) return ["uv", "run"];
  if (files.has("poetry.lock") || tool.poetry !== undefined) return ["poetry", "run"];
  return files.has("pdm.lock") ? ["pdm", "run"] : [];
}

/** A virtual environment of the repo's own has what its tests need. */
function python(files: RepoFiles): string {
  const own = [".venv", "venv"].find((folder) => files.has(`${folder}/bin/python`));
  return own === undefined ? "python3" : `${own}/bin/python`;
}

function whyPytest(files: RepoFiles, tool: Readonly<Record<string, unknown>>): string | null {
  if (tool.pytest !== undefined) return "pyproject.toml sets pytest up";
  const own = ["pytest.ini", "conftest.py", "tests/conftest.py"].find((name) => files.has(name));
  if (own !== undefined) return `the repo has a ${own}`;
  if (/^\[tool:pytest\]/m.test(files.text("setup.cfg") ?? "")) return "setup.cfg sets pytest up";
  if (/^\[pytest\]/m.test(files.text("tox.ini") ?? "")) return "tox.ini sets pytest up";
  const asked = ["pyproject.toml", ...requirements].find(
    (name) =>
      /^\s*["']?pytest\b/m.test(files.text(name) ?? "") || /["']pytest[ "'<>=~!;[]/.test(files.text(name) ?? ""),
  );
  return asked === undefined ? null : `${asked} asks for pytest`;
}

/** It is imported, or a test is a function or a plain class: unittest finds neither. */
const forPytest = /^\s*(?:import|from) pytest\b|^(?:async )?def test_|^class Test\w*(?:\(\))?:/m;

const mostTests = 200;
const deepest = 3;

/** Paths from the folder; those below it only if it is no project folder, which may hold anything. */
function listTests(folder: string, depth = /[\\/]tests?$/.test(folder) ? 1 : deepest): string[] {
  return orElse(() => {
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    const here = entries.filter((one) => one.isFile() && /^test[\w.-]*\.py$|^[\w.-]+_test\.py$/.test(one.name));
    const below = entries.filter((one) => one.isDirectory() && depth < deepest);
    const deeper = below.flatMap(({ name }) =>
      listTests(path.join(folder, name), depth + 1).map((file) => path.join(name, file)),
    );
    return [...here.map(({ name }) => name), ...deeper].slice(0, mostTests);
  }, []);
}
