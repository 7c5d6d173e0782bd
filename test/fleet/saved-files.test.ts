import assert from "node:assert/strict";
import { existsSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkOutOver, dropFiles, isOwn, saveFiles, takeFiles, writingSettings } from "../../lib/fleet/saved-files.ts";
import { bootId } from "../../lib/process/identity.ts";
import { diskError } from "../../lib/text/errors.ts";
import { write } from "../git/git-repo.ts";
import { makeFolder } from "../process/arrange.ts";

const skip = bootId() === "" && "this machine has no number for its start";

/** A clone with an index, and a checkout that writes what is missing, as git does by the index. */
function arrange(t: TestContext) {
  const folder = realpathSync(makeFolder(t));
  const [clone, files, filesNote] = ["clone", "files", "note.json"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const keeping = { place: { clone, files, filesNote }, settings: "settings" };
  const calls: string[] = [];
  const tree: Record<string, string> = { a: "1", "in/b": "1", ".gitattributes": "* text\n" };
  const checkOut = async (...words: readonly string[]) => {
    calls.push(words.join(" "));
    if (!existsSync(join(clone, ".git/index"))) write(clone, { ".git/index": "a new index" });
    for (const [path, text] of Object.entries(tree))
      if (!existsSync(join(clone, path)) || readFileSync(join(clone, path), "utf8") !== text)
        write(clone, { [path]: text });
  };
  const newClone = () => write(clone, { ".git/index": "index" });
  /** A whole pass: a checkout, what `act` does, and the files put aside. */
  const pass = async (act: () => void = () => undefined) => {
    newClone();
    const note = (await checkOutOver(keeping, null, checkOut)) ?? assert.fail("nothing was noted");
    act();
    saveFiles(keeping.place, clone, note);
    return note;
  };
  return { folder, clone, files, filesNote, keeping, calls, tree, checkOut, newClone, pass };
}

test("the files of a checkout are used again by the next pass, without what the pass wrote", { skip }, async (t) => {
  const { clone, files, keeping, calls, checkOut, newClone, pass } = arrange(t);
  const note = await pass(() => {
    write(clone, { a: "the pass's", new: "the pass's" });
  });
  assert.deepEqual(Object.keys(note.tree).sort(), ["", ".gitattributes", "a", "in", "in/b"]);
  assert.deepEqual([existsSync(clone), existsSync(join(files, ".git"))], [false, false]);
  const held = await takeFiles(keeping);
  assert.deepEqual(Object.keys(held?.tree ?? {}).sort(), ["", ".gitattributes", "in", "in/b"]);
  assert.deepEqual([existsSync(join(clone, "a")), existsSync(join(clone, "new"))], [false, false]);
  assert.equal(await takeFiles(keeping), null, "a note is good for one pass");
  newClone();
  writeFileSync(join(clone, ".git/index"), "of a new clone");
  assert.notEqual(await checkOutOver(keeping, held, checkOut), null);
  assert.equal(readFileSync(join(clone, ".git/index"), "utf8"), "index");
  assert.deepEqual([calls, readFileSync(join(clone, "a"), "utf8")], [["", "-f"], "1"]);
});

test("files are written anew if the rules for them changed, or git refuses what is there", { skip }, async (t) => {
  const { clone, keeping, calls, tree, checkOut, newClone, pass } = arrange(t);
  await pass();
  const held = await takeFiles(keeping);
  newClone();
  tree[".gitattributes"] = "* -text\n";
  assert.notEqual(await checkOutOver(keeping, held, checkOut), null);
  assert.deepEqual(calls, ["", "-f", "-f"]);
  assert.equal(readFileSync(join(clone, ".git/index"), "utf8"), "a new index");
});

test("a checkout that fails is tried without the files, and an error that is no fact of git is passed on", {
  skip,
}, async (t) => {
  const { keeping, calls, newClone, pass } = arrange(t);
  await pass();
  const held = await takeFiles(keeping);
  newClone();
  const failing = (error: Error) => async () => {
    calls.push("failed");
    throw error;
  };
  await assert.rejects(checkOutOver(keeping, held, failing(diskError("TP_GIT", "no"))), /^TaskPhaseError: no$/);
  assert.deepEqual(calls, ["", "failed", "failed"]);
  await assert.rejects(checkOutOver(keeping, held, failing(new Error("a defect"))), /a defect/);
  assert.equal(calls.length, 4);
});

test("files are of no use with other settings, after a start of the machine, or once they are gone", {
  skip,
}, async (t) => {
  const { files, filesNote, keeping, pass } = arrange(t);
  const edit = (change: object) =>
    writeFileSync(filesNote, JSON.stringify({ ...JSON.parse(readFileSync(filesNote, "utf8")), ...change }));
  for (const spoil of [
    () => edit({ boot: "another" }),
    () => edit({ settings: "others" }),
    () => writeFileSync(filesNote, "{"),
    () => dropFiles({ files, filesNote }),
  ]) {
    await pass();
    spoil();
    assert.deepEqual([await takeFiles(keeping), existsSync(filesNote)], [null, false]);
  }
});

test("a clone that a pass replaced by a link is not kept", { skip }, async (t) => {
  const { folder, clone, files, pass } = arrange(t);
  await pass();
  symlinkSync("files", clone);
  assert.deepEqual([isOwn(clone), isOwn(files), isOwn(join(folder, "none"))], [false, true, false]);
  saveFiles({ files: join(folder, "others"), filesNote: join(folder, "n"), clone }, clone, {} as never);
  assert.deepEqual([existsSync(join(folder, "others")), existsSync(join(folder, "n"))], [false, false]);
});

test("files are kept by the person's settings, and not where programs make them", (t) => {
  const folder = makeFolder(t);
  write(folder, { "one/git/attributes": "* text\n", "home/.config/git/attributes": "* text\n" });
  const of = (own: readonly (readonly [string, string])[], env: NodeJS.ProcessEnv = { HOME: "/nonexistent" }) =>
    writingSettings({ own, repo: [["filter.evil.clean", "x"]] }, env);
  const plain = of([["core.autocrlf", "true"]]);
  assert.match(plain ?? "", /^[0-9a-f]{64}$/);
  assert.notEqual(of([["core.autocrlf", "input"]]), plain);
  const withRules = of([["core.autocrlf", "true"]], { XDG_CONFIG_HOME: join(folder, "one") });
  assert.notEqual(withRules, plain);
  assert.equal(of([["core.autocrlf", "true"]], { HOME: join(folder, "home") }), withRules);
  for (const key of ["filter.lfs.smudge", "core.attributesFile", "core.splitIndex"])
    assert.equal(of([[key, "x"]]), null);
});
