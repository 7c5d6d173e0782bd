import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { test } from "node:test";
import { assertAccepted, makeMatrixWorld } from "../cli/matrix-world.ts";

const nodeTest = 'import test from "node:test";\nimport assert from "node:assert/strict";\n';
const check = (...command: readonly string[]) => [`validators: [{ name: tests, command: ${JSON.stringify(command)} }]`];
const hasVenv = (() => {
  try {
    return execFileSync("python3", ["-c", "import venv, sqlite3, sys; print(sys.version_info[1])"], {
      encoding: "utf8",
    });
  } catch {
    return null;
  }
})()?.trim();
const skip = hasVenv === undefined ? { skip: "python3 is not installed" } : {};

const slug = (code: string) =>
  `import fs from "node:fs";\nconst { sep } = JSON.parse(fs.readFileSync("config/local.json", "utf8"));\nexport const slug = (text) => ${code};\n`;
const right = 'text.split(" ").join(sep)';
const importing = 'import assert from "node:assert/strict";\nimport { slug } from "./src/slug.mjs";\n';

/** A right fix whose check needs what git ignores: `ignored` is there before the work. */
const lacking: readonly {
  readonly what: string;
  readonly repo: Readonly<Record<string, string>>;
  readonly ignored: readonly [string, string];
  readonly command: readonly string[];
  readonly work: Readonly<Record<string, string>>;
}[] = [
  {
    what: "a script that ends with 1",
    repo: {
      "src/slug.mjs": slug("text"),
      "check.mjs": `${importing.split("\n")[1]}\nif (slug("a b") !== "a-b") process.exit(1);\n`,
    },
    ignored: ["config/local.json", '{ "sep": "-" }\n'],
    command: ["node", "check.mjs"],
    work: { "src/slug.mjs": slug(right) },
  },
  {
    what: "a script that asserts",
    repo: { "src/slug.mjs": slug("text"), "check.mjs": `${importing}assert.equal(slug("a b"), "a-b");\n` },
    ignored: ["config/local.json", '{ "sep": "-" }\n'],
    command: ["node", "check.mjs"],
    work: { "src/slug.mjs": slug(right) },
  },
  {
    what: "a variable of an ignored .env",
    repo: {
      "src/slug.mjs": "export const slug = (text) => text;\n",
      "check.mjs": `${importing}assert.equal(process.env.SEP, "-");\nassert.equal(slug("a b"), "a-b");\n`,
    },
    ignored: [".env", "SEP=-\n"],
    command: ["node", "--env-file=.env", "check.mjs"],
    work: { "src/slug.mjs": 'export const slug = (text) => text.split(" ").join(process.env.SEP);\n' },
  },
  {
    what: "a database of sqlite",
    repo: {
      "shop.py": "import sqlite3\n\n\ndef total():\n    return 0\n",
      "test_shop.py":
        "import os\nimport unittest\nimport shop\n\n\nclass Shop(unittest.TestCase):\n    def test_total(self):\n        os.stat('dev.db')\n        self.assertEqual(shop.total(), 1)\n",
    },
    ignored: ["dev.db", ""],
    command: ["python3", "-m", "unittest"],
    work: {
      "shop.py":
        "import sqlite3\n\n\ndef total():\n    return sqlite3.connect('dev.db').execute('select 1').fetchone()[0]\n",
    },
  },
];

test("a right fix whose check needs an ignored file is done, and the missing file is named", {
  concurrency: 2,
}, async (t) => {
  const world = makeMatrixWorld(t);
  await Promise.all(
    lacking.map(({ what, repo, ignored: [path, text], command, work }, index) =>
      t.test(what, command[0] === "python3" ? skip : {}, async () => {
        const files = { ".gitignore": "config/local.json\n.env\ndev.db\n__pycache__/\n", ...repo };
        const task = await world.begin(`lacking-${index}`, { repo: files, contract: check(...command) });
        task.write(`../../repo/${path}`, text);
        assertAccepted(await task.finish(work), "done");
        const { proof } = task.last();
        assert.equal(proof?.grade, "unshown");
        assert((proof.reason ?? "").includes(`the copy lacks ${path}, which git ignores`), proof.reason ?? "");
      }),
    ),
  );
});

const comment = { "src/a.mjs": "// A comment.\nexport const a = 1;\n" };

test("a comment alone is never shown", { concurrency: 2 }, async (t) => {
  const world = makeMatrixWorld(t);
  await Promise.all([
    t.test("a test that failed in its first two runs, and passes since", async () => {
      const runs = world.path("runs");
      const repo = {
        "src/a.mjs": "export const a = 1;\n",
        "test/a.test.mjs": `${nodeTest}import { appendFileSync, readFileSync } from "node:fs";\ntest("a", () => { appendFileSync("${runs}", "."); assert(readFileSync("${runs}", "utf8").length > 2); });\n`,
      };
      const task = await world.begin("flake", { repo, contract: check("node", "--test") });
      world.write("runs", ".");
      assertAccepted(await task.step("verify", comment), "verify");
      world.write("runs", "...");
      assertAccepted(await task.step("review"), "review");
      assertAccepted(await task.step("done"), "done");
      assert.equal(task.last().proof?.grade, "kept");
    }),
    t.test("a test that an ignored .env now skips", async () => {
      const repo = {
        ".gitignore": ".env\n",
        "src/a.mjs": "export const a = 1;\n",
        "test/a.test.mjs": `${nodeTest}import { a } from "../src/a.mjs";\ntest("slow", { skip: process.env.SKIP_SLOW === "1" }, () => assert.equal(a, 2));\ntest("a", () => assert.equal(a, 1));\n`,
      };
      const task = await world.begin("env", { repo, contract: check("node", "--env-file=.env", "--test") });
      task.write("../../repo/.env", "SKIP_SLOW=0\n");
      const work = { ...comment, ".env": "SKIP_SLOW=1\n" };
      assertAccepted(await task.step("verify", work), "verify");
      const report = await task.step("review");
      const told = `${report.reason} ${task.last().proof?.reason} ${task.last().matrix?.left_out.join(" ")}`;
      assert(report.to !== "review" || task.last().proof?.grade === "unshown", report.reason);
      assert.match(told, /\.env/);
    }),
  ]);
});

test("dependencies that are somewhere else", { concurrency: 2 }, async (t) => {
  const world = makeMatrixWorld(t);
  const venv = (repo: string) => {
    execFileSync("python3", ["-m", "venv", "--without-pip", world.path(`${repo}/.venv`)]);
    const site = `${repo}/.venv/lib/python3.${hasVenv}/site-packages`;
    world.write(`${site}/__editable__.shop.pth`, `${world.path(repo)}/src\n`);
  };
  const python = {
    ".gitignore": ".venv/\n__pycache__/\n*_local.py\n",
    "src/shop.py": "def total():\n    return 0\n",
    "tests/test_shop.py":
      "import unittest\nimport shop\n\n\nclass Shop(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(shop.total(), 30)\n",
  };
  const contract = check(".venv/bin/python3", "-m", "unittest", "discover", "-s", "tests");
  await Promise.all([
    t.test("an editable install leads to the copy, and the work is shown", skip, async () => {
      const task = await world.begin("editable", { repo: python, contract });
      venv(task.repo);
      assertAccepted(await task.finish({ "src/shop.py": "def total():\n    return 10 + 20\n" }), "done");
      assert.equal(task.last().proof?.grade, "shown");
    }),
    t.test("work that git ignores is not found by an editable install, and goes to repair", skip, async () => {
      const task = await world.begin("editable-ignored", { repo: python, contract });
      venv(task.repo);
      const work = {
        "src/shop.py": "from rates_local import total\n",
        "src/rates_local.py": "def total():\n    return 30\n",
      };
      assertAccepted(await task.step("verify", work), "verify");
      const report = await task.step("review");
      assert.equal(report.to, "repair", report.reason);
    }),
    t.test("node_modules that is a link, as in a work tree, is taken along, and the work is shown", async () => {
      const repo = {
        ".gitignore": "node_modules/\n",
        "src/slug.mjs": "export const slug = (text) => text;\n",
        "test/slug.test.mjs": `${nodeTest}import { dash } from "dash";\nimport { slug } from "../src/slug.mjs";\ntest("slug", () => assert.equal(slug("a b"), ["a", "b"].join(dash)));\n`,
      };
      const task = await world.begin("link", { repo, contract: check("node", "--test") });
      const kit = "elsewhere/node_modules/dash";
      world.write(
        `${kit}/package.json`,
        '{ "name": "dash", "version": "1.0.0", "type": "module", "exports": "./i.mjs" }\n',
      );
      world.write(`${kit}/i.mjs`, 'export const dash = "-";\n');
      mkdirSync(world.path(task.repo), { recursive: true });
      symlinkSync(world.path("elsewhere/node_modules"), world.path(`${task.repo}/node_modules`));
      assertAccepted(
        await task.finish({ "src/slug.mjs": 'export const slug = (text) => text.replaceAll(" ", "-");\n' }),
        "done",
      );
      assert.deepEqual([task.last().proof?.grade, task.last().proof?.reason], ["shown", null]);
    }),
  ]);
});
