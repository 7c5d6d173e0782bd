import assert from "node:assert/strict";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  digestBin,
  digestPart,
  digestScript,
  exceptParts,
  reachedScripts,
  reachedWords,
  readScriptText,
  resolveProgram,
  takeParts,
} from "../../../lib/checks/watch/parts.ts";
import { gone } from "../../../lib/checks/watch/places.ts";
import { unfoldChecks } from "../../../lib/checks/watch/unfold.ts";
import { type WatchWorld, withWatch } from "./arrange.ts";

const scope = { tools: [], folders: [] };

/** Each part as `kind name`, with `-` behind what does not exist and `*` behind what no fingerprint lists. */
function partsOf(world: WatchWorld, isNamed: (name: string) => boolean): string[] {
  const input = world.input();
  return takeParts(input, unfoldChecks(input), scope)
    .filter(({ name }) => isNamed(name))
    .map(({ kind, name, digest, unlisted }) => `${kind} ${name}${digest === gone ? "-" : ""}${unlisted ? "*" : ""}`);
}

test("a program of the work tree is a file of the check, and one that is not listed is outside of each copy", () =>
  withWatch({ "bin/tool": "", "run.sh": "true\n", "a.test.js": "" }, [["tool"], ["./run.sh"], ["none"]], (world) => {
    assert.deepEqual(
      partsOf(world, (name) => !name.includes("node_modules")),
      ["executable bin/tool*", "check_file run.sh", "executable none-"],
    );
  }));

test("a test that a check names is watched as a test, and only where no fingerprint lists it as a file", () =>
  withWatch({ "a.test.js": "", "ignored/b.test.js": "" }, [["node", "a.test.js", "ignored/b.test.js"]], (world) =>
    assert.deepEqual(
      partsOf(world, (name) => !name.includes("node_modules") && name.endsWith(".test.js")),
      ["check_file ignored/b.test.js*"],
    ),
  ));

test("scripts are watched with their hooks, there or not, and with those that are named and missing", () =>
  withWatch(
    { "package.json": '{"scripts":{"test":"npm run lint && true","pretest":"true"}}' },
    [["npm", "test"]],
    (world) => {
      const scripts = partsOf(world, (name) => name.includes("#scripts."));
      assert.deepEqual(scripts.map((line) => line.replace("script package.json#scripts.", "")).sort(), [
        "lint-",
        "postlint-",
        "postpretest-",
        "posttest-",
        "prelint-",
        "prepretest-",
        "pretest",
        "test",
      ]);
      const input = world.input();
      assert.equal(readScriptText(input, "package.json#scripts.test"), "npm run lint && true");
      assert.equal(readScriptText(input, "package.json#scripts.none"), null);
      assert.deepEqual(reachedScripts(input).sort(), ["package.json#scripts.pretest", "package.json#scripts.test"]);
      assert.ok(reachedWords(input).has("npm"));
    },
  ));

test("the text of a script is kept redacted, and a program whose word is a secret is not kept", () =>
  withWatch({ "package.json": '{"scripts":{"test":"x s3cret"}}' }, [["npm", "test"], ["./s3cret"]], (world) => {
    const input = world.input();
    const found = takeParts(input, unfoldChecks(input), scope);
    assert.equal(found.find(({ name }) => name === "package.json#scripts.test")?.was, "x [redacted]");
    assert.equal(JSON.stringify(found).includes("s3cret"), false);
  }));

test("layout is no part of a script's digest", () => {
  assert.equal(digestScript(" a   b\n"), digestScript("a b"));
  assert.notEqual(digestScript("a b"), digestScript("ab"));
});

test("what is watched as another part, or as settings as a whole, is no test as well", () => {
  const thing = {
    kind: "check_file",
    name: "a.test.js",
    digest: "1",
    word: "",
    was: "",
    size: null,
    unlisted: false,
  } as const;
  const isPart = exceptParts(
    [thing, { ...thing, name: "b.test.js", digest: gone }, { ...thing, kind: "test", name: "c.test.js" }],
    scope,
  );
  assert.deepEqual(["a.test.js", "b.test.js", "c.test.js", "jest.config.js"].map(isPart), [true, false, false, true]);
});

test("a program is found as a shell finds it, and a bin that is not executable counts as absent", () =>
  withWatch({ "bin/tool": "1", "plain.txt": "1" }, [], (world) => {
    const input = world.input();
    assert.equal(resolveProgram(input, "tool").name, "bin/tool");
    assert.equal(resolveProgram(input, "./bin/tool").digest, resolveProgram(input, "tool").digest);
    assert.deepEqual([resolveProgram(input, "none").name, resolveProgram(input, "none").digest], ["none", gone]);
    assert.equal(digestBin(input, "plain.txt").digest, gone);
    assert.notEqual(digestPart(input, "plain.txt").digest, gone);
    assert.equal(digestPart(input, join(world.repo, "plain.txt")).digest, digestPart(input, "plain.txt").digest);
    chmodSync(join(world.repo, "plain.txt"), 0o755);
    assert.notEqual(digestBin(input, "plain.txt").digest, gone);
    symlinkSync("none", join(world.repo, "dangling"));
    assert.equal(digestBin(input, "dangling").digest, gone);
  }));
