import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readRepoText } from "../../../lib/checks/watch/manifests.ts";
import { findTestModules } from "../../../lib/checks/watch/test-modules.ts";
import type { CheckResult } from "../../../lib/rules/check-run.ts";
import { check, failing } from "../../rules/arrange.ts";
import { type WatchWorld, withWatch } from "./arrange.ts";

const cargo = (path: string, more = "") =>
  `[package]\nname = "a"\n\n[dependencies]\nquote = { path = "quote" }\n${more}\n[dev-dependencies]\ncheck = { path = "${path}" }\nquote = { path = "quote" }\n`;
const goMod = (check: string) =>
  `module e.test/a\n\nreplace e.test/check => ./${check}\n\nreplace e.test/used => ./kit/used\n`;
const assertions = ["CuTest.h", "acutest.h", "catch2.hpp", "check.h", "my_assert.h", "test-utils.hpp", "unity.h"];
const products = ["checkpoint.h", "expected.hpp", "hit_test.h", "latest.h", "staple.hpp", "sum.h", "units.h"];
const headers = [...assertions, ...products];
const files = {
  "go.mod": goMod("kit/check"),
  "a.go": 'import "e.test/used"\nimport "e.test/shared"\n',
  "a_test.go": 'import (\n"e.test/vendored"\n"e.test/check"\n"e.test/used"\n"e.test/shared"\n)\n',
  "kit/check/check.go": "1",
  "kit/used/used.go": "1",
  "vendor/e.test/vendored/check.go": "1",
  "vendor/e.test/shared/shared.go": "1",
  "Cargo.toml": cargo("crates/check"),
  "crates/check/src/lib.rs": "1",
  "quote/src/lib.rs": "1",
  "tools/check.mjs": 'import { names } from "./known.mjs";\nimport { sum } from "../src/sum.mjs";\n',
  "checks/all.mjs": "for (const name of readdirSync(import.meta.dirname)) await import(name);\n",
  "lists/all.mjs": 'for (const name of readdirSync("src")) await import(name);\n',
  "tools/known.mjs": "1",
  "tools/shared.mjs": "1",
  "tools/other.mjs": 'import "./shared.mjs";\n',
  "src/sum.mjs": "1",
  "test_sum.c": `${headers.map((name) => `#include "${name}"\n`).join("")}#include "assert_all.h"\n`,
  "sum.c": '#include "sum.h"\n#include "assert_all.h"\n',
  ...Object.fromEntries(headers.map((name) => [name, "1"])),
  "assert_all.h": "1",
};

describe("findTestModules", () => {
  async function after(
    edit: (world: WatchWorld) => void,
    of: Readonly<Record<string, string>> = files,
    earlier: readonly CheckResult[] = [],
  ) {
    let found: string[] = [];
    const checks = ["tools/check.mjs", "checks/all.mjs", "lists/all.mjs"].map((name) => ["node", name]);
    await withWatch(of, checks, (world) => {
      const record = world.take();
      const { entries } = world.input();
      const texts = new Map([...entries.keys()].map((path) => [path, readFileSync(join(world.repo, path), "utf8")]));
      const before = { entries, read: (path: string) => texts.get(path) ?? null };
      edit(world);
      found = findTestModules(record, world.input(), before, (path) => readRepoText(world.repo, path), earlier);
    });
    return found;
  }
  const change =
    (...paths: string[]) =>
    (world: WatchWorld) => {
      for (const path of paths) world.write({ [path]: "2" });
    };
  const rows: [string, (world: WatchWorld) => void, string[]][] = [
    ["nothing", () => undefined, []],
    [
      "vendored modules",
      change("vendor/e.test/vendored/check.go", "vendor/e.test/shared/shared.go"),
      ["vendor/e.test/vendored/check.go"],
    ],
    ["headers of tests", change("assert_all.h", ...headers), assertions],
    ["replaced modules", change("kit/check/check.go", "kit/used/used.go"), ["kit/check/check.go"]],
    ["another module in its place", (world) => world.write({ "go.mod": goMod("kit/twin") }), ["go.mod"]],
    ["crates", change("crates/check/src/lib.rs", "quote/src/lib.rs"), ["crates/check/src/lib.rs"]],
    ["another crate in its place", (world) => world.write({ "Cargo.toml": cargo("crates/twin") }), ["Cargo.toml"]],
    ["a dependency", (world) => world.write({ "Cargo.toml": cargo("crates/check", 'csv = "1"\n') }), []],
    [
      "what a check finds beside itself",
      (world) => {
        for (const folder of ["checks", "lists"])
          world.write({ [`${folder}/new.mjs`]: "2", [`${folder}/deep/new.mjs`]: "2" });
      },
      ["checks/new.mjs"],
    ],
    ["modules beside a check", change("tools/known.mjs", "tools/shared.mjs", "src/sum.mjs"), ["tools/known.mjs"]],
  ];
  for (const [what, edit, expected] of rows) {
    it(`tells ${expected.join(", ") || "nothing"} after a change of ${what}`, async () =>
      assert.deepEqual(await after(edit), expected));
  }
  it("takes a header for the product if there is no other source", async () => {
    const single = { "utest.h": "1", "test/all.c": '#include "utest.h"\n', "tools/release.mjs": "1" };
    assert.deepEqual(await after(change("utest.h"), single), []);
    assert.deepEqual(await after(change("utest.h"), { ...single, "sum.c": "1" }), ["utest.h"]);
  });
  it("has a new header of assertions in place of the compiler's, though sources include it, too", async () => {
    const loading = { "sum.c": "#include <assert.h>\n", "tests/sum.c": "#include <assert.h>\n" };
    assert.deepEqual(await after(change("include/assert.h"), loading, [check()]), ["include/assert.h"]);
    const load = failing({ failure: { by: "load", tests: [], said: null } });
    assert.deepEqual(await after(change("include/assert.h"), loading, [load]), []);
  });
  describe("a new module under a name that tests load from outside of the repo", () => {
    const loading = {
      "src/shop/__init__.py": "",
      "src/shop/cart.py": "import csv\n",
      "tests/test_cart.py":
        "import csv\nimport json\nimport unittest.mock\nfrom shop.cart import total\nfrom tax import rate\n",
      "lib/cart.rb": "class Cart; end\n",
      "test/cart_test.rb": 'require "minitest/autorun"\nrequire_relative "../lib/cart"\n',
    };
    const shadows = ["lib/minitest/autorun.rb", "src/unittest/__init__.py", "unittest.py"];
    const products = ["csv.py", "src/csv.py", "src/shop/cart/__init__.py", "src/shop/json.py", "lib/shop/minitest.rb"];
    it("is on the side of the checks, but not what sources load or what is in a package", async () =>
      assert.deepEqual(await after(change(...shadows, ...products), loading, [check()]), shadows));
    it("is work if tests could not be loaded before, as those that wait for it", async () => {
      const load = failing({ failure: { by: "load", tests: [], said: null } });
      for (const earlier of [[], [load]])
        assert.deepEqual(await after(change("tax.py", ...shadows), loading, earlier), []);
    });
    it("is work if tests load it under a condition, or one of several files of tests could not", async () => {
      const some = {
        "tests/test_tax.py":
          "import json, unittest\ntry:\n    from tax import rate\nexcept ImportError:\n    rate = None\n",
      };
      assert.deepEqual(await after(change("tax.py", "unittest.py"), some, [check()]), ["unittest.py"]);
      const excerpt = "not ok 1\nCan't locate Tax/Rate.pm in @INC\n";
      const perl = { "t/tax.t": "use Data::Dumper;\nuse Tax::Rate;\n" };
      const waiting = failing({ failure: { by: "assertion", tests: [], said: null }, excerpt });
      assert.deepEqual(await after(change("lib/Tax/Rate.pm", "lib/Data/Dumper.pm"), perl, [waiting]), [
        "lib/Data/Dumper.pm",
      ]);
    });
    it("is work in a folder that Python does not take for the module", async () =>
      assert.deepEqual(
        await after(
          change("examples/json/a.py", "src/json/a.py", "lib/unittest/__init__.py", "lib/unittest/mock.py"),
          loading,
          [check()],
        ),
        ["lib/unittest/__init__.py", "lib/unittest/mock.py"],
      ));
    it("is work if it only shares the first part of its name with a module of Perl", async () => {
      const perl = { "t/a.t": "use Test2::V0;\nuse File::Temp;\n" };
      const fresh = ["lib/File/Shop.pm", "lib/File/Temp.pm", "lib/Test2/API.pm"];
      assert.deepEqual(await after(change(...fresh), perl, [check()]), fresh.slice(1));
    });
  });
});
