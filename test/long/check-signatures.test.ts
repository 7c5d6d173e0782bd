import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { codesOf, makeDoneOnce, makeSigningWorld, type SigningWorld, withoutSsh } from "../cli/signing-world.ts";

/** Settings by which a person's own git signs with this key. */
const signWith = (key: string) => ["-c", "gpg.format=ssh", "-c", `user.signingkey=${key}`, "-c", "commit.gpgSign=true"];

interface Judged {
  readonly code: number | null;
  readonly codes: readonly string[];
  /** Commit and code of each error. */
  readonly forged: readonly (readonly [string, string])[];
  readonly signatures: unknown;
}

async function judge(world: SigningWorld, file: string, ...args: readonly string[]): Promise<Judged> {
  const end = await world.check("--tasks-root", "tasks", "--history", "--allowed-signers", file, ...args);
  const { history } = end.json() as { history?: { forged: { commit: string; code: string }[]; signatures: unknown } };
  const forged = (history?.forged ?? []).map(({ commit, code }) => [commit, code] as const);
  return { code: end.code, codes: codesOf(end), forged, signatures: history?.signatures };
}

const head = (world: SigningWorld) => world.app("rev-parse", "HEAD").trim();

/** The five commits of passes, newest first. */
const passes = (world: SigningWorld) =>
  world.app("log", "--format=%H", "--grep=^Task-Phase-Verdict:").trimEnd().split("\n");

/** HEAD as it is, but for its signature. */
function resign(world: SigningWorld, signature: (unsigned: string) => string): string {
  const [headers = "", ...body] = world.app("cat-file", "commit", "HEAD").split("\n\n");
  const bare = headers.replace(/\ngpgsig .*(?:\n .*)*/, "");
  const text = [bare, ...body].join("\n\n");
  const armour = signature(text).trimEnd().replaceAll("\n", "\n ");
  const file = world.write("commit.txt", [`${bare}\ngpgsig ${armour}`, ...body].join("\n\n"));
  const sha = world.app("hash-object", "-t", "commit", "-w", file).trim();
  world.app("update-ref", "HEAD", sha);
  return sha;
}

const sshSignature = (key: string, namespace: string) => (text: string) =>
  execFileSync("ssh-keygen", ["-Y", "sign", "-n", namespace, "-f", key], {
    input: text,
    encoding: "utf8",
    stdio: "pipe",
  });

describe("check --history --allowed-signers", { skip: withoutSsh }, () => {
  const done = makeDoneOnce();

  test("a signed history holds, also with a byte-order mark, CRLF and comments in the file", async (t) => {
    const world = done.copy(t);
    const good = { required: 5, good: 5, signers: ["runner@example.org"] };
    const plain = world.allow(world.line("runner", 'namespaces="git,task-phase"'));
    assert.deepEqual(await judge(world, plain), { code: 0, codes: [], forged: [], signatures: good });
    const windows = world.write("crlf", `\ufeff${world.line("runner")} a comment\r\n\r\n# more\r\n`);
    assert.deepEqual((await judge(world, windows)).signatures, good);
    const people = await world.call(
      "task-phase",
      ["check", "T-1", "--history", "--allowed-signers", world.path("crlf")],
      { cwd: "app" },
    );
    assert.match(people.stdout, /^signatures: 5 of 5 commits that must be signed\nsigned by runner@example\.org$/m);
  });

  test("a commit without a signature, and one of a key that may not sign, are named", async (t) => {
    const world = done.copy(t);
    const file = world.allow(world.line("runner"));
    world.app("commit", "--quiet", "--amend", "--no-edit", "--no-gpg-sign");
    const unsigned = await judge(world, file);
    assert.deepEqual([unsigned.code, unsigned.forged], [65, [[head(world), "TP_HISTORY_UNSIGNED"]]]);
    world.app(...signWith(world.makeKey("mallory")), "commit", "--quiet", "--amend", "--no-edit");
    const stranger = await judge(world, file);
    assert.deepEqual([stranger.code, stranger.forged], [65, [[head(world), "TP_HISTORY_SIGNER"]]]);
    assert.deepEqual(stranger.signatures, { required: 5, good: 4, signers: ["runner@example.org"] });
  });

  test("a whole history that somebody wrote again and signed is named commit by commit", async (t) => {
    const world = done.copy(t);
    const file = world.allow(world.line("runner"));
    world.app(...signWith(world.makeKey("mallory")), "rebase", "--quiet", "--root", "--force-rebase");
    assert.equal((await world.check("--tasks-root", "tasks", "--history")).code, 0, "in itself it holds");
    const { code, forged } = await judge(world, file);
    assert.equal(code, 65);
    assert.deepEqual(
      [...forged].reverse(),
      passes(world).map((sha) => [sha, "TP_HISTORY_SIGNER"]),
    );
  });

  test("a journal that was written again with all its digests is named", async (t) => {
    const world = done.copy(t);
    const file = world.allow(world.line("runner"));
    const journal = "app/tasks/T-1/artifacts/journal.jsonl";
    let prev: string | null = null;
    const lines = world
      .read(journal)
      .trimEnd()
      .split("\n")
      .map((line) => {
        const event = { ...(JSON.parse(line) as object), prev };
        const made: string = JSON.stringify(event).replaceAll('"model":"walker"', '"model":"person"');
        prev = createHash("sha256").update(made).digest("hex");
        return made;
      });
    world.app("checkout", "--quiet", "--orphan", "forged");
    world.write(journal, `${lines.join("\n")}\n`);
    world.app(...signWith(world.makeKey("mallory")), "commit", "--quiet", "--all", "--message=all of it");
    assert.equal((await world.check("--tasks-root", "tasks", "--history")).code, 0, "in itself it holds");
    const { code, forged } = await judge(world, file);
    assert.deepEqual([code, forged], [65, [[head(world), "TP_HISTORY_SIGNER"]]]);
  });

  test("a signature for something else than commits, or of other bytes, does not hold", async (t) => {
    const world = done.copy(t);
    const file = world.allow(world.line("runner"));
    resign(world, sshSignature(world.key, "git"));
    assert.equal((await judge(world, file)).code, 0);
    for (const namespace of ["file", "task-phase"]) {
      const sha = resign(world, sshSignature(world.key, namespace));
      assert.deepEqual((await judge(world, file)).forged, [[sha, "TP_HISTORY_SIGNATURE"]], namespace);
    }
    const sha = resign(world, (text) => sshSignature(world.key, "git")(`${text} `));
    assert.deepEqual((await judge(world, file)).forged, [[sha, "TP_HISTORY_SIGNATURE"]]);
  });

  test("a signer who was not allowed at the time of the commit, or for commits at all, is refused", async (t) => {
    const world = done.copy(t);
    for (const [options, code] of [
      ['valid-before="20200101"', "TP_HISTORY_SIGNER"],
      ['valid-after="20990101"', "TP_HISTORY_SIGNER"],
      ['namespaces="task-phase"', "TP_HISTORY_SIGNATURE"],
    ] as const) {
      const { code: exit, forged } = await judge(world, world.allow(world.line("runner", options)));
      assert.deepEqual([exit, forged.map(([, each]) => each)], [65, Array(5).fill(code)], options);
    }
    const file = world.allow(
      world.line("runner", 'valid-before="20200101"'),
      world.line("runner", 'valid-after="20200101"'),
    );
    assert.equal((await judge(world, file)).code, 0, "one line of two is enough");
  });

  test("no program and no file that .git/config names plays a part", async (t) => {
    const world = done.copy(t);
    writeFileSync(world.path("trap"), `#!/bin/sh\ntouch '${world.folder}/sprung'\nexit 0\n`, { mode: 0o755 });
    for (const key of ["gpg.program", "gpg.ssh.program", "gpg.openpgp.program", "gpg.x509.program"])
      world.app("config", key, world.path("trap"));
    world.makeKey("mallory");
    world.app("config", "gpg.ssh.allowedSignersFile", world.write("theirs", `${world.line("mallory")}\n`));
    const file = world.allow(world.line("runner"));
    assert.equal((await judge(world, file)).code, 0);
    for (const word of ["PGP SIGNATURE", "PGP MESSAGE", "SIGNED MESSAGE"]) {
      const sha = resign(world, () => `-----BEGIN ${word}-----\n\niQEz\n-----END ${word}-----`);
      const { code, forged } = await judge(world, file);
      assert.deepEqual([code, forged], [65, [[sha, "TP_HISTORY_UNSIGNED"]]], word);
    }
    assert.equal(world.exists("sprung"), false);
  });

  test("a merge moves nothing, and a squashed one has lost the signatures", async (t) => {
    const world = makeSigningWorld(t);
    world.app("switch", "--quiet", "--create", "work");
    await world.loop();
    world.app("switch", "--quiet", "main");
    world.app("commit", "--quiet", "--allow-empty", "--message=meanwhile");
    const start = head(world);
    const file = world.allow(world.line("runner"));
    world.app("merge", "--quiet", "--no-ff", "--message=Merge pull request", "work");
    assert.equal((await judge(world, file)).code, 0);
    world.app("reset", "--quiet", "--hard", start);
    world.app("merge", "--quiet", "--squash", "work");
    world.app("commit", "--quiet", "--message=Squashed");
    const { code, forged } = await judge(world, file);
    assert.deepEqual([code, forged], [65, [[head(world), "TP_HISTORY_UNSIGNED"]]]);
  });

  test("a file that names nobody, or something else, is an error that names the line", async (t) => {
    const world = makeSigningWorld(t);
    const told = async (file: string) => {
      const end = await world.check("--tasks-root", "tasks", "--history", "--allowed-signers", file);
      const [finding] = end.json().findings as { code: string; message: string; line: number | null }[];
      return [end.code, finding?.code, finding?.line, finding?.message];
    };
    const error = (line: number | null, message: string) => [65, "TP_ALLOWED_SIGNERS", line, message];
    const nobody = error(null, "the file names no allowed signer");
    assert.deepEqual(await told(world.write("empty", "")), nobody);
    assert.deepEqual(await told(world.write("mark", "\ufeff")), nobody);
    assert.deepEqual(await told(world.write("comments", "# nobody\n\r\n")), nobody);
    assert.deepEqual(await told(world.path("none")), error(null, "the allowed signers cannot be read (missing)"));
    assert.deepEqual(await told(world.folder), error(null, "the allowed signers cannot be read (folder)"));
    const bare = world.line("runner").split(" ").slice(1).join(" ");
    assert.deepEqual(
      [...(await told(world.allow(world.line("runner"), bare)))].slice(0, 3),
      [65, "TP_ALLOWED_SIGNERS", 2],
      "a .pub file has no name before the key",
    );
    const wide = Buffer.from(`\ufeff${world.line("runner")}\n`, "utf16le");
    assert.deepEqual([...(await told(world.write("wide", wide)))].slice(0, 3), [65, "TP_ALLOWED_SIGNERS", 1]);
  });

  test("it goes with --history alone, needs ssh-keygen, and warns of a file in the repository", async (t) => {
    const world = makeSigningWorld(t);
    const file = world.allow(world.line("runner"));
    const alone = await world.check("T-1", "--allowed-signers", file);
    assert.deepEqual([alone.code, codesOf(alone)], [64, ["TP_USAGE_SIGNERS"]]);
    const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    chmodSync(world.write("bare/git", `#!/bin/sh\nexec ${git} "$@"\n`), 0o755);
    const words = ["check", "T-1", "--json", "--history", "--allowed-signers"];
    const env = { PATH: world.path("bare") };
    const none = await world.call("task-phase", [...words, file], { cwd: "app", env });
    assert.deepEqual([none.code, codesOf(none).at(-1)], [78, "TP_SSH_KEYGEN"]);
    world.write("app/signers", `${world.line("runner")}\n`);
    const inside = await world.check("T-1", "--history", "--allowed-signers", "signers");
    assert.deepEqual([inside.code, codesOf(inside)], [0, ["TP_ALLOWED_SIGNERS_PLACE"]]);
  });
});
