import { type FoundRow, testFound } from "./made-repo.ts";

/** What is in a repo, and the commands that are found there. */
const repos: readonly FoundRow[] = [
  ["pytest in pyproject", { "pyproject.toml": "[tool.pytest.ini_options]\n" }, ["tests: python3 -m pytest"]],
  ["pytest among what is needed", { "requirements-dev.txt": "pytest>=8\n" }, ["tests: python3 -m pytest"]],
  [
    "pytest among what is needed, of a project",
    { "pyproject.toml": '[project.optional-dependencies]\ndev = ["pytest>=8"]\n' },
    ["tests: python3 -m pytest"],
  ],
  [
    "pytest, ruff and mypy under uv",
    { "pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n", "uv.lock": "" },
    ["tests: uv run pytest", "lint: uv run ruff check .", "types: uv run mypy ."],
  ],
  ["poetry", { "pyproject.toml": "[tool.poetry]\n", "conftest.py": "" }, ["tests: poetry run pytest"]],
  ["a venv", { "pytest.ini": "", ".venv/bin/python": "" }, ["tests: .venv/bin/python -m pytest"]],
  [
    "pdm, ruff.toml and mypy.ini",
    { "conftest.py": "", "setup.py": "", "pdm.lock": "", "ruff.toml": "", "mypy.ini": "" },
    ["tests: pdm run pytest", "lint: pdm run ruff check .", "types: pdm run mypy ."],
  ],
  ["pytest's part of tox.ini", { "tox.ini": "[tox]\n[pytest]\n" }, ["tests: python3 -m pytest"]],
  ["pytest's part of setup.cfg", { "setup.cfg": "[tool:pytest]\n" }, ["tests: python3 -m pytest"]],
  ["Python files alone beside a package", { "package.json": "{}", "test_a.py": "" }, []],
  ["Python without a sign", { "app.py": "", "mypy.ini": "" }, []],
  ["tox alone", { "tox.ini": "[tox]\n" }, ["tests: tox"]],
  ["Django", { "manage.py": "" }, ["tests: python3 manage.py test"]],
  [
    "unittest in a folder",
    { "tests/test_a.py": "import unittest\n" },
    ["tests: python3 -m unittest discover -s tests"],
  ],
  ["unittest at the top", { "test_a.py": "import unittest\n" }, ["tests: python3 -m unittest discover"]],
  ["a test that is a function", { "test_a.py": "def test_a(): assert True\n" }, ["tests: python3 -m pytest"]],
  [
    "a test that is a plain class, below other tests",
    { "tests/test_a.py": "import unittest\n", "tests/unit/test_b.py": "class TestB:\n    def test_b(self): pass\n" },
    ["tests: python3 -m pytest"],
  ],
  ["a name that only pytest finds", { "tests/unit/a_test.py": "" }, ["tests: python3 -m pytest"]],
  [
    "a method of a test case",
    { "tests/test_a.py": "class TestA(unittest.TestCase):\n    def test_a(self): pass\n" },
    ["tests: python3 -m unittest discover -s tests"],
  ],
  ["a test that imports pytest", { "tests/test_a.py": "import pytest\n" }, ["tests: python3 -m pytest"]],
  ["a pyproject that is no TOML", { "pyproject.toml": "[[[" }, []],
];

testFound(repos);
