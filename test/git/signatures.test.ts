import assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readAllowedSigners } from "../../lib/git/signatures.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { withFolder } from "../store/temporary-folder.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJ5dGVz";

/** The text that is read from a file of these bytes, or the line and the message of the error. */
async function read(text: string | Buffer): Promise<string | [line: number | null, message: string]> {
  let result: string | [number | null, string] = "";
  await withFolder((folder) => {
    writeFileSync(join(folder, "target"), text);
    symlinkSync("target", join(folder, "signers"));
    try {
      result = readAllowedSigners(join(folder, "signers")).text;
    } catch (error) {
      const [finding] = error instanceof TaskPhaseError ? error.findings : [];
      assert.equal(finding?.code, "TP_ALLOWED_SIGNERS");
      result = [finding?.line ?? null, finding?.message ?? ""];
    }
  });
  return result;
}

describe("the allowed signers", () => {
  const good = {
    "a plain line": `ann@x ${key}\n`,
    "options and a comment": `ann@x namespaces="git,task-phase",valid-before="20300101" ${key} Ann's laptop\n`,
    "a quoted name": `"Ann Lee" ${key}\n`,
    "comments and empty lines": `# signers\n\n  \t\nann@x ${key}\n`,
    "another kind of key": "bo@x ecdsa-sha2-nistp256 AAAA==\ncy@x sk-ssh-ed25519@openssh.com AAAA\n",
  };
  for (const [name, text] of Object.entries(good)) {
    it(`are read with ${name}`, async () => assert.equal(await read(text), text));
  }

  it("are read with a byte-order mark, line ends of Windows and no last line end", async () => {
    assert.equal(await read(`\ufeff# x\r\nann@x ${key}`), `# x\nann@x ${key}\n`);
  });

  const bad: Readonly<Record<string, [string, number | null, RegExp]>> = {
    "an empty file": ["", null, /names no allowed signer/],
    "comments alone": ["# ann\n", null, /names no allowed signer/],
    "a key without a name": [`ann@x ${key}\n${key}\n`, 2, /does not name a signer: ssh-ed25519/],
    "a name without a key": ["# x\nann@x\n", 2, /does not name a signer: ann@x/],
    "a key that is no base64": ["ann@x ssh-ed25519 !\n", 1, /does not name a signer/],
    "an unknown kind of key": ["ann@x gpg AAAA\n", 1, /does not name a signer/],
    "a NUL": [`ann@x ${key} x\0\n`, 1, /does not name a signer/],
  };
  for (const [name, [text, line, words]] of Object.entries(bad)) {
    it(`are an error with ${name}, named by its line`, async () => {
      const [at, message] = await read(text);
      assert.equal(at, line);
      assert.match(String(message), words);
    });
  }

  it("are an error where there is no such file, or a folder", () =>
    withFolder((folder) => {
      assert.throws(() => readAllowedSigners(join(folder, "none")), /cannot be read \(missing\)/);
      assert.throws(() => readAllowedSigners(folder), /cannot be read \(folder\)/);
    }));
});
