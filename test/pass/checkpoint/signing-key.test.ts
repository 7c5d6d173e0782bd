import assert from "node:assert/strict";
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { findSigner, signerOf } from "../../../lib/pass/checkpoint/signing-key.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { makeRepo } from "../../git/git-repo.ts";
import { makeFolder } from "../../process/arrange.ts";

function makePlace(t: TestContext) {
  const folder = realpathSync(makeFolder(t));
  makeRepo(join(folder, "repo"), { "code/a.txt": "1\n" });
  const write = (name: string, text: string, mode = 0o600) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
    return join(folder, name);
  };
  /** Why no key signs; a PATH without ssh-keygen shows that the key itself is good. */
  const problem = async (key?: string, agents = join(folder, "repo/code")) => {
    const env = { PATH: "/nonexistent", ...(key === undefined ? {} : { TASK_PHASE_SIGNING_KEY: key }) };
    try {
      await findSigner([agents], { env, home: join(folder, "home") });
    } catch (error) {
      assert.ok(error instanceof TaskPhaseError);
      assert.deepEqual([error.exitName, error.findings[0]?.code], ["config", "TP_SIGN"]);
      return error.findings[0]?.message.replace("`sign: ssh` is set, but ", "") ?? "";
    }
    return assert.fail("it signs without ssh-keygen");
  };
  return { folder, write, problem };
}

const secret = "-----BEGIN OPENSSH PRIVATE KEY-----\nx\n";
const known = "ssh-ed25519 AAAA me\n";
const good = /ssh-keygen/;

test("a task that is not signed has no signer, and one that is looks for its key on use", () => {
  const place = { tasksRoot: "/tasks" };
  const ports = { env: {}, home: "/home" };
  assert.equal(signerOf({ sign: "none", repo: "/repo", place }, ports), null);
  assert.equal(typeof signerOf({ sign: "ssh", repo: "/repo", place }, ports), "function");
});

test("a key that is named must be an absolute path to a file that can be read", async (t) => {
  const { folder, problem } = makePlace(t);
  assert.equal(await problem(), "there is no signing key");
  assert.equal(await problem("keys/k"), "TASK_PHASE_SIGNING_KEY must be an absolute path");
  assert.equal(await problem(join(folder, "none")), "there is no signing key");
  symlinkSync("nowhere", join(folder, "broken"));
  assert.equal(await problem(join(folder, "broken")), "the signing key cannot be read (missing)");
  mkdirSync(join(folder, "dir"));
  assert.equal(await problem(join(folder, "dir")), "the signing key cannot be read (folder)");
});

test("a file that is no key of ssh is refused", async (t) => {
  const { write, problem } = makePlace(t);
  assert.match(await problem(write("k", "a note\n")), /^the signing key is neither a private nor a public ssh key$/);
  assert.match(await problem(write("private", secret)), good);
  assert.match(await problem(write("public.pub", known, 0o644)), good);
});

test("a private key that others may use is refused, also beside the public one that is named", async (t) => {
  const { write, problem } = makePlace(t);
  const mode = "other users may use the signing key: its mode is 0640, expected 0600";
  assert.equal(await problem(write("k", secret, 0o640)), mode);
  assert.equal(await problem(write("k.pub", known, 0o644)), mode);
  write("k", secret);
  assert.match(await problem(write("k.pub", known, 0o644)), good);
});

test("a key in a folder that agents write to is refused, and so is a link out of or into one", async (t) => {
  const { folder, write, problem } = makePlace(t);
  const inside = "the signing key is in a folder that agents write to";
  assert.equal(await problem(write("repo/k", secret)), inside, "the repository around the folder counts");
  assert.equal(await problem(write("repo/.git/k", secret)), inside);
  symlinkSync(join(folder, "repo/k"), join(folder, "into"));
  assert.equal(await problem(join(folder, "into")), inside);
  symlinkSync(write("outside", secret), join(folder, "repo/out"));
  assert.equal(await problem(join(folder, "repo/out")), inside);
  assert.match(await problem(join(folder, "outside")), good);
});

test("the key of the user's own folder counts if none is named", async (t) => {
  const { write, problem } = makePlace(t);
  write("home/.config/task-phase/signing_key", secret);
  assert.match(await problem(), good);
});
