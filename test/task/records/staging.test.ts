import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { gatherSyncs } from "../../../lib/store/folder.ts";
import type { Anchor } from "../../../lib/task/records/anchor.ts";
import {
  dropStaged,
  freePlace,
  putKeeping,
  saveInterrupted,
  saveStaged,
  stageProposal,
} from "../../../lib/task/records/staging.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { makeFolder } from "../../process/arrange.ts";

const token = `ghp_${"a1B2".repeat(9)}`;
const redactor = createRedactor({});

function arrange(t: TestContext) {
  const folder = makeFolder(t);
  const staging = join(folder, "staging");
  const put = (path: string, bytes: string | Buffer) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  };
  const read = (path: string) => readFileSync(join(folder, path), "latin1");
  const pass = join(folder, "pass");
  const keep = () => {
    const syncs = gatherSyncs();
    saveStaged({ staging } as Anchor, pass, redactor, syncs);
    syncs.sync();
    dropStaged({ staging } as Anchor);
    const names = existsSync(pass) ? readdirSync(pass, { recursive: true, encoding: "utf8" }) : [];
    return names.filter((name) => statSync(join(pass, name)).isFile()).sort();
  };
  return { folder, staging, put, read, keep };
}

test("the staging is copied as it is and then dropped, and copies of an agent's files without their secrets", (t) => {
  const { staging, put, read, keep } = arrange(t);
  put("staging/stdout.log", `said ${token}`);
  put("staging/.tp-0123456789abcdef.tmp", "half");
  put("staging/kept/a/brief.md", `has ${token}`);
  put("staging/kept/picture.png", Buffer.from([0xff, 0x00, 0x80, 0xc3]));
  assert.deepEqual(keep(), ["kept/a/brief.md", "kept/picture.png", "stdout.log"]);
  assert.equal(read("pass/stdout.log"), `said ${token}`);
  assert.equal(read("pass/kept/a/brief.md"), "has [redacted:github]");
  assert.equal(read("pass/kept/picture.png"), "\xff\x00\x80\xc3");
  assert.equal(existsSync(staging), false);
  const before = keep();
  assert.deepEqual(before, keep(), "nothing is left to be copied");
});

test("a copy goes beside another of the same name, and a log in place of it", (t) => {
  const { put, read, keep } = arrange(t);
  for (const text of ["one", "two", "two", "three"]) {
    put("staging/kept/a.md", text);
    put("staging/stdout.log", text);
    keep();
  }
  assert.deepEqual(
    ["a.md", "a.md.2", "a.md.3"].map((name) => read(`pass/kept/${name}`)),
    ["one", "two", "three"],
  );
  assert.equal(read("pass/stdout.log"), "three");
});

test("anything but a file, and a file that is too large, is named in its place", (t) => {
  const { folder, put, read, keep } = arrange(t);
  put("staging/kept/large", "");
  truncateSync(join(folder, "staging/kept/large"), 17 * 1024 * 1024 + 1);
  symlinkSync("/etc/hostname", join(folder, "staging/kept/link"));
  keep();
  assert.equal(read("pass/kept/large"), `[task-phase: not kept, ${17 * 1024 * 1024 + 1} bytes]\n`);
  assert.equal(read("pass/kept/link"), "[task-phase: not kept, link]\n");
});

test("a free place is the path itself, or one beside it with the next number", (t) => {
  const { folder, put } = arrange(t);
  const free = (text: string) => freePlace(join(folder, "a"), Buffer.from(text)).slice(folder.length + 1);
  assert.equal(free("x"), "a");
  put("a", "x");
  assert.deepEqual([free("x"), free("y")], ["a", "a.2"]);
  mkdirSync(join(folder, "a.2"));
  assert.equal(free("y"), "a.3");
});

test("a file that a person edits is replaced, and kept unless its text is known, with or without its secrets", (t) => {
  const { folder, put, read } = arrange(t);
  const path = join(folder, "T-1/STATE.md");
  const keepAt = join(folder, "kept/STATE.md");
  mkdirSync(dirname(path));
  const replace = (...known: string[]) =>
    putKeeping({ path, known: known.map(sha256), keepAt, redactor }, "ours")?.slice(folder.length + 1) ?? null;
  assert.equal(replace(), null, "there is none");
  assert.equal(replace(), null, "it is ours already");
  for (const known of [`mine ${token}`, "mine [redacted:github]"]) {
    put("T-1/STATE.md", `mine ${token}`);
    assert.equal(replace("other", known), null);
  }
  put("T-1/STATE.md", `mine ${token}`);
  assert.equal(replace("other"), "kept/STATE.md");
  assert.deepEqual([read("kept/STATE.md"), read("T-1/STATE.md")], ["mine [redacted:github]", "ours"]);
  put("T-1/STATE.md", "another");
  assert.equal(replace(), "kept/STATE.md.2");
  truncateSync(path, 17 * 1024 * 1024 + 1);
  assert.equal(replace(), "kept/STATE.md.3", "too long for memory");
  assert.deepEqual(
    [statSync(join(folder, "kept/STATE.md.3")).size, read("T-1/STATE.md")],
    [17 * 1024 * 1024 + 1, "ours"],
  );
});

test("of a pass that was cut off, STATE.md is the agent's only until the staging has the agent's", (t) => {
  const { folder, staging, put, read } = arrange(t);
  const place = placeOf(join(folder, "T-1"));
  const pass = join(folder, "pass");
  mkdirSync(pass);
  const keep = () => saveInterrupted(place, { staging } as Anchor, pass, "accepted", redactor, gatherSyncs());
  assert.deepEqual(keep(), [], "there is none");
  put("T-1/STATE.md", "accepted");
  assert.deepEqual([keep(), readdirSync(pass)], [[], []]);
  put("T-1/STATE.md", `mine ${token}`);
  assert.deepEqual(keep(), [sha256(`mine ${token}`)]);
  assert.equal(read("pass/STATE.proposed.md"), "mine [redacted:github]");
  mkdirSync(staging);
  stageProposal({ staging } as Anchor, Buffer.from(`theirs ${token}`), redactor, true);
  put("T-1/STATE.md", "a person's");
  assert.deepEqual(keep(), [sha256("theirs [redacted:github]")]);
  assert.equal(read("pass/STATE.proposed.md"), "theirs [redacted:github]");
  assert.deepEqual(readdirSync(pass), ["STATE.proposed.md"]);
});
