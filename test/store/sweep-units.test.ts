import assert from "node:assert/strict";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { grow, holdersOf, isSplit, isUnitName, settledAfterMs, sweepUnits } from "../../lib/store/sweep-units.ts";
import { write } from "../git/git-repo.ts";
import { refusing } from "./refused-calls.ts";
import { withFolder } from "./temporary-folder.ts";

describe("the units of a folder", () => {
  const passes = "/artifacts/passes";

  test("are the task, and each folder of its passes", () =>
    withFolder((folder) => {
      write(folder, {
        "STATE.md": "",
        "artifacts/passes/0001/a": "",
        "artifacts/passes/0002/in/b": "",
        "x/passes/c": "",
      });
      write(folder, { "artifacts/passes/packed.jsonl": "" });
      symlinkSync("0001", join(folder, "artifacts/passes/link"));
      const paths = sweepUnits(folder).map(({ path }) => path.slice(folder.length));
      assert.deepEqual(paths.sort(), ["", `${passes}/0001`, `${passes}/0002`]);
      assert.deepEqual(sweepUnits(join(folder, "none")), [{ path: join(folder, "none"), seen: null }]);
    }));

  test("are known by their paths, and names that are no text are none", () => {
    assert.deepEqual([`/t${passes}`, `/t${passes}/0001`, `//t${passes}`, `/t\ufffd${passes}`].map(isSplit), [
      true,
      false,
      false,
      false,
    ]);
    assert.deepEqual(["/a", "//a%FF", "/a\ufffd"].map(isUnitName), [true, false, false]);
    assert.deepEqual(holdersOf(`/t${passes}/0001`), [`/t${passes}/0001`, `/t${passes}`, "/t"]);
    assert.deepEqual(holdersOf("/t"), ["/t"]);
  });
});

describe("what is seen of a unit", () => {
  test("changes with a name, a size, rights, a kind and a time, and with nothing else", (t) =>
    withFolder((folder) => {
      const unit = join(folder, "unit");
      write(unit, { a: "1", "in/b": "1" });
      mkdirSync(join(unit, "empty"));
      t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 60_000 });
      const look = () => sweepUnits(unit)[0]?.seen ?? null;
      let before = look();
      assert.match(before ?? "", /^[\w-]{43}$/);
      assert.equal(look(), before);
      const acts: Readonly<Record<string, () => void>> = {
        "other bytes": () => writeFileSync(join(unit, "a"), "2"),
        "a new file": () => writeFileSync(join(unit, "in/new"), ""),
        "another name": () => renameSync(join(unit, "in/new"), join(unit, "in/named")),
        "other rights": () => chmodSync(join(unit, "in"), 0o700),
        "a file in place of a folder": () => {
          rmSync(join(unit, "empty"), { recursive: true });
          writeFileSync(join(unit, "empty"), "");
        },
      };
      for (const [name, act] of Object.entries(acts)) {
        act();
        const now = look();
        assert.notEqual(now, before, name);
        before = now;
      }
    }));

  test("lists a folder once, as long as it does not change", (t) =>
    withFolder((folder) => {
      write(folder, { "in/a": "1" });
      t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 60_000 });
      const listed: string[] = [];
      const note = { test: (path: string) => listed.push(path.slice(folder.length)) === 0 };
      const look = () => refusing("readdirSync", "EACCES", note, () => sweepUnits(folder));
      look();
      look();
      assert.deepEqual(listed, ["", "/in"]);
      writeFileSync(join(folder, "in/b"), "");
      look();
      assert.deepEqual(listed, ["", "/in", "/in"]);
    }));

  test("proves nothing right after a change, or with a name that is no text", (t) =>
    withFolder((folder) => {
      write(folder, { a: "1" });
      t.mock.timers.enable({ apis: ["Date"], now: Date.now() + settledAfterMs - 90 });
      const look = () => sweepUnits(folder)[0]?.seen ?? null;
      assert.equal(look(), null);
      t.mock.timers.setTime(Date.now() + 60_000);
      assert.notEqual(look(), null);
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]), "");
      assert.equal(look(), null);
    }));
});

test("an array of figures doubles and keeps what it has", () => {
  assert.deepEqual([...grow(new Float64Array([1, 2]))], [1, 2, 0, 0]);
});
