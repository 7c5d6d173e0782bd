import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  askNothing,
  commitSigning,
  findSshKeygen,
  keyOfSignature,
  signBytes,
  verifyBytes,
} from "../../lib/git/ssh-keygen.ts";
import { findExecutable } from "../../lib/process/find-executable.ts";
import { withoutSsh } from "../cli/signing-world.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { gitEnv, write } from "./git-repo.ts";

describe("the ssh-keygen of a runner", () => {
  /** A PATH with an ssh-keygen, and a git that says this. */
  const pathWith = (folder: string, version: string): string => {
    write(folder, { "bin/ssh-keygen": "#!/bin/sh\n", "bin/git": `#!/bin/sh\necho '${version}'\n` });
    for (const name of ["ssh-keygen", "git"]) chmodSync(join(folder, "bin", name), 0o755);
    return join(folder, "bin");
  };

  it("is that of PATH, outside of the repo", () =>
    withFolder(async (folder) => {
      const PATH = pathWith(folder, "git version 2.40.1");
      const found = await findSshKeygen({ PATH }, []);
      assert.deepEqual(found, { kind: "found", tool: { program: join(PATH, "ssh-keygen"), env: { PATH } } });
      for (const [path, folders] of [
        [PATH, [folder]],
        ["", []],
      ] as const) {
        const missing = await findSshKeygen({ PATH: path }, folders);
        assert.equal(missing.kind === "missing" && missing.problem, "ssh-keygen is not on PATH");
      }
    }));

  it("needs a git that makes ssh signatures; one that says no version counts", () =>
    withFolder(async (folder) => {
      const asked = async (version: string) => {
        const found = await findSshKeygen({ PATH: pathWith(folder, version) }, []);
        return found.kind === "missing" ? found.problem : "found";
      };
      const old = (version: string) => `git supports ssh signatures since 2.34; this is ${version}`;
      assert.equal(await asked("git version 2.33.9"), old("2.33"));
      assert.equal(await asked("git version 1.99.0"), old("1.99"));
      assert.equal(await asked("git version 2.34.0"), "found");
      assert.equal(await asked("git version 3.0"), "found");
      assert.equal(await asked("something else"), "found");
    }));

  it("signs a commit with its own program and without a prompt, or not at all", () => {
    assert.deepEqual(commitSigning(null), { args: ["--no-gpg-sign"], extra: [], variables: {} });
    assert.deepEqual(commitSigning({ key: "/k", publicKey: "t k", program: "/bin/x", env: {} }), {
      args: ["-S/k"],
      extra: ["gpg.format=ssh", "gpg.ssh.program=/bin/x"],
      variables: askNothing,
    });
  });
});

describe("the key of a signature", () => {
  const armour = (bytes: Buffer) =>
    `-----BEGIN SSH SIGNATURE-----\n${bytes.toString("base64")}\n-----END SSH SIGNATURE-----\n`;
  const string = (bytes: Buffer | string, length = bytes.length) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(length);
    return Buffer.concat([head, Buffer.from(bytes)]);
  };
  const magic = Buffer.concat([Buffer.from("SSHSIG"), Buffer.from([0, 0, 0, 1])]);
  const key = Buffer.concat([string("ssh-ed25519"), string("bytes")]);

  it("is read as a .pub file has it", () => {
    const text = armour(Buffer.concat([magic, string(key), string("git")]));
    assert.equal(keyOfSignature(text), `ssh-ed25519 ${key.toString("base64")}`);
  });

  it("is null where the signature is not one", () => {
    const broken = [
      "",
      armour(Buffer.concat([Buffer.from("SSHSIX"), magic.subarray(6), string(key)])),
      armour(magic),
      armour(Buffer.concat([magic, string(key, key.length + 1)])),
      armour(Buffer.concat([magic, string(string("ssh-ed25519", 99))])),
      armour(Buffer.concat([magic, string("abc")])),
      `x${armour(Buffer.concat([magic, string(key)]))}`,
      armour(Buffer.concat([magic, string(key)])).replace("END", "end"),
    ];
    for (const text of broken) assert.equal(keyOfSignature(text), null, text);
  });
});

describe("a signature", { skip: withoutSsh }, () => {
  it("is good, a stranger's or bad, by who may sign and by its bytes", () =>
    withFolder(async (folder) => {
      const program = findExecutable("ssh-keygen", "/", process.env.PATH ?? "") ?? "";
      const tool = { program, env: gitEnv };
      const key = join(folder, "key");
      spawnSync(program, ["-q", "-t", "ed25519", "-N", "", "-f", key]);
      const [type, bytes] = readFileSync(`${key}.pub`, "utf8").split(" ");
      const text = Buffer.from("text\n");
      const made = await signBytes(tool, key, "task-phase", text);
      const { signature } = made.kind === "signed" ? made : assert.fail(made.why);
      assert.equal(keyOfSignature(signature), `${type} ${bytes}`);
      const verify = async (changes: object) => {
        const signers = `ann namespaces="task-phase" ${type} ${bytes}\n`;
        const signed = { bytes: text, signature, namespace: "task-phase", allowedSigners: signers } as const;
        return await verifyBytes(tool, { ...signed, at: new Date("2026-01-01"), ...changes });
      };
      assert.deepEqual(await verify({}), { kind: "good", principal: "ann" });
      for (const allowedSigners of [
        "",
        `ann namespaces="git" ${type} ${bytes}\n`,
        `ann valid-before="20250101" ${type} ${bytes}\n`,
      ]) {
        const found = await verify({ allowedSigners });
        assert.match(found.kind === "stranger" ? found.key : found.kind, /^SHA256:\S{40,}$/, allowedSigners);
      }
      const bad = await verify({ bytes: Buffer.from("other\n") });
      assert.match(bad.kind === "bad" ? bad.why : bad.kind, /[Ii]ncorrect signature|verification failed/);
      const failed = await signBytes(tool, join(folder, "none"), "git", text);
      assert.match(failed.kind === "failed" ? failed.why : "", /none/);
    }));
});
