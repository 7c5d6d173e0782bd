import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, rmSync } from "node:fs";
import { describe, type TestContext, test } from "node:test";
import { sha256 } from "../../lib/text/sha256.ts";
import type { RunEnd } from "../cli/arrange.ts";
import { codesOf, makeDoneOnce, makeSigningWorld, type SigningWorld, withoutSsh } from "../cli/signing-world.ts";

const file = "app/tasks/T-1/artifacts/attestation.json";
const journal = "app/tasks/T-1/artifacts/journal.jsonl";

interface Envelope {
  payloadType: string;
  payload: string;
  signatures: { keyid: string; sig: string }[];
}

interface Statement {
  subject: { name: string; digest: Record<string, string> }[];
  predicate: Record<string, unknown> & { taskPhase: Record<string, unknown> & { checks: Record<string, unknown>[] } };
}

async function makeDone(t: TestContext, config = "checkpoint: commit\n", before = ":"): Promise<SigningWorld> {
  const world = makeSigningWorld(t, config, before);
  const end = await world.loop();
  assert.deepEqual([end.code, codesOf(end)], [0, []]);
  return world;
}

function check(world: SigningWorld, signers: string, task = "T-1"): Promise<RunEnd> {
  return world.check(task, "--attestation", "--allowed-signers", signers);
}

/** Exit code, codes and signer. */
async function judge(world: SigningWorld, signers = world.allow(world.line("runner"))) {
  const end = await check(world, signers);
  const [judged] = (end.json().attestations ?? []) as { signer: string | null }[];
  return [end.code, codesOf(end), judged?.signer];
}

const readEnvelope = (world: SigningWorld) => JSON.parse(world.read(file)) as Envelope;
const readStatement = (world: SigningWorld) =>
  JSON.parse(Buffer.from(readEnvelope(world).payload, "base64").toString("utf8")) as Statement;

/** Signs a statement as the runner does, written here once more from the documents of DSSE and ssh-keygen. */
function sign(world: SigningWorld, statement: unknown, key = world.key, namespace = "task-phase", encoded = true) {
  const payload = Buffer.from(typeof statement === "string" ? statement : JSON.stringify(statement));
  const type = "application/vnd.in-toto+json";
  const bytes = `DSSEv1 ${type.length} ${type} ${payload.length} ${payload.toString("utf8")}`;
  const args = ["-Y", "sign", "-n", namespace, "-f", key];
  const sig = execFileSync("ssh-keygen", args, { input: encoded ? bytes : payload, stdio: "pipe" });
  const signatures = [{ keyid: "", sig: sig.toString("base64") }];
  const envelope: Envelope = { payloadType: type, payload: payload.toString("base64"), signatures };
  world.write(file, JSON.stringify(envelope));
  return envelope;
}

const holds = [0, [], "runner@example.org"];

describe("the attestation of a task that is done", { skip: withoutSsh }, () => {
  const done = makeDoneOnce();

  test("says what the journal says, is signed, linked and committed", async (t) => {
    const world = done.copy(t);
    assert.deepEqual(await judge(world), holds);
    const lines = world.read(journal).trimEnd().split("\n");
    const event = JSON.parse(lines.at(-1) ?? "") as { at: string; fingerprint: { present: string } };
    const statement = readStatement(world);
    const { checks, ...rest } = statement.predicate.taskPhase;
    const before = world.app("rev-parse", "HEAD^").trim();
    assert.deepEqual(
      { ...statement, predicate: { ...statement.predicate, taskPhase: rest } },
      {
        _type: "https://in-toto.io/Statement/v1",
        subject: [
          { name: "code", digest: { taskPhaseFingerprint: event.fingerprint.present } },
          { name: "commit", digest: { gitCommit: before } },
        ],
        predicateType: "https://in-toto.io/attestation/test-result/v0.1",
        predicate: {
          result: "PASSED",
          configuration: [{ name: "README.md", digest: { sha256: sha256(world.read("app/tasks/T-1/README.md")) } }],
          passedTests: ["tests"],
          warnedTests: [],
          failedTests: [],
          taskPhase: {
            task: "T-1",
            pass: 5,
            at: event.at,
            event_sha256: sha256(lines.at(-1) ?? ""),
            record_sha256: sha256(world.read("app/tasks/T-1/artifacts/passes/0005/pass.json")),
            began_from: world.app("rev-list", "--max-parents=0", "HEAD").trim(),
            commit: before,
            dirty: false,
            grade: "kept",
            headline: "Done. Nothing broke, but no check fails without this work",
          },
        },
      },
    );
    assert.deepEqual(checks[0], {
      ...{ cell: "repo", name: "tests", kind: "validator", required: true, status: "pass", exit_code: 0 },
      log: "artifacts/passes/0004/validators/tests.log",
      log_sha256: sha256(world.read("app/tasks/T-1/artifacts/passes/0004/validators/tests.log")),
    });
    for (const page of ["EVIDENCE.md", "SUMMARY.md"])
      assert.match(
        world.read(`app/tasks/T-1/${page}`),
        /^- Signed by the runner: \[.*\]\(artifacts\/attestation\.json\)$/m,
      );
    assert.match(world.read("app/tasks/T-1/artifacts/evidence.html"), /<a href="attestation.json">/);
    assert.match(world.app("show", "--format=", "--name-only", "HEAD"), /^tasks\/T-1\/artifacts\/attestation\.json$/m);
    assert.equal(world.app("status", "--porcelain", "tasks/T-1"), "");
  });

  test("is what ssh-keygen alone verifies, and what the test's own signature matches", async (t) => {
    const world = done.copy(t);
    const { payload, payloadType, signatures } = readEnvelope(world);
    const sig = world.write("sig", Buffer.from(signatures[0]?.sig ?? "", "base64"));
    const bytes = Buffer.from(payload, "base64");
    const input = `DSSEv1 ${payloadType.length} ${payloadType} ${bytes.length} ${bytes.toString("utf8")}`;
    const signers = world.allow(world.line("runner", 'namespaces="task-phase"'));
    const args = ["-Y", "verify", "-n", "task-phase", "-f", signers, "-I", "runner@example.org", "-s", sig];
    assert.match(execFileSync("ssh-keygen", args, { input, encoding: "utf8", stdio: "pipe" }), /^Good "task-phase"/);
    assert.equal(
      signatures[0]?.keyid,
      execFileSync("ssh-keygen", ["-lf", world.key], { encoding: "utf8" }).split(" ")[1],
    );
    sign(world, readStatement(world));
    assert.deepEqual(await judge(world), holds);
  });

  test("is not made without `sign: ssh`", async (t) => {
    const world = makeSigningWorld(t);
    world.write("app/tasks/task-phase.yaml", world.read("app/tasks/task-phase.yaml").replace("sign: ssh\n", ""));
    assert.equal((await world.loop()).code, 0);
    assert.equal(world.exists(file), false);
    assert.doesNotMatch(world.read("app/tasks/T-1/EVIDENCE.md"), /attestation|Signed/);
    const signers = world.allow(world.line("runner"));
    assert.deepEqual(await judge(world, signers), [65, ["TP_ATTESTATION_MISSING"], null]);
    const root = await world.check("--tasks-root", "tasks", "--attestation", "--allowed-signers", signers);
    assert.deepEqual([root.code, codesOf(root)], [65, ["TP_ATTESTATION_MISSING"]], "who removed it is not overlooked");
  });

  for (const config of ["checkpoint: patch\n", "checkpoint: commit\ncommits: task\nkeep: proof\n"]) {
    test(`holds with ${config.trimEnd().replaceAll("\n", ", ")}`, async (t) => {
      const world = await makeDone(t, config);
      assert.deepEqual(await judge(world), holds);
      const before = world.read(file);
      assert.equal((await world.call("task-phase", ["evidence", "T-1"], { cwd: "app" })).code, 0);
      assert.match(world.read("app/tasks/T-1/EVIDENCE.md"), /attestation\.json/);
      assert.deepEqual([await judge(world), world.read(file)], [holds, before]);
    });
  }

  test("is made by `evidence` where the run was killed before it could sign, on the machine of the verdict alone", async (t) => {
    const world = makeSigningWorld(t);
    const real = execFileSync("sh", ["-c", "command -v ssh-keygen"], { encoding: "utf8" }).trim();
    // The key is tried before a pass as well; the statement is what is signed when the journal says done.
    const isDone = `grep -q '"to":"done"' ${world.path(journal)} 2> /dev/null`;
    const killing = `#!/bin/sh\ncase "$*" in *"-n task-phase"*) ! ${isDone} || kill -9 $PPID ;; esac\nexec ${real} "$@"\n`;
    chmodSync(world.write("bin/ssh-keygen", killing), 0o755);
    const key = { TASK_PHASE_SIGNING_KEY: world.key };
    const words = ["--task-dir", world.path("app/tasks/T-1"), "--json"];
    const PATH = `${world.path("bin")}:${process.env.PATH}`;
    const killed = await world.run("task-phase-loop", words, { env: { ...key, PATH }, cwd: "app" });
    assert.deepEqual([killed.signal, world.exists(file)], ["SIGKILL", false], killed.stderr);
    const evidence = (env: Record<string, string>) =>
      world.call("task-phase", ["evidence", "T-1", "--json"], { env, cwd: "app" });
    cpSync(world.path("app"), world.path("copy"), { recursive: true });
    const elsewhere = async () => {
      const env = { ...key, XDG_STATE_HOME: world.path("another") };
      const end = await world.call("task-phase", ["evidence", "T-1", "--json"], { env, cwd: "copy" });
      return [codesOf(end), end.json().relinked, end.json().attested];
    };
    assert.deepEqual(await elsewhere(), [["TP_SIGN"], false, false]);
    // What is recorded there since makes the verdict no verdict of that machine.
    const config = "copy/tasks/task-phase.yaml";
    world.write(config, `evidence: { base_url: https://evidence.example.org }\n${world.read(config)}`);
    assert.deepEqual(await elsewhere(), [["TP_SIGN"], true, false]);
    assert.deepEqual(await elsewhere(), [["TP_SIGN"], false, false]);
    const keyless = await evidence({ TASK_PHASE_SIGNING_KEY: world.path("none") });
    assert.deepEqual([keyless.code, codesOf(keyless), world.exists(file)], [0, ["TP_SIGN"], false]);
    const made = await evidence(key);
    assert.deepEqual([made.code, codesOf(made), made.json().attested], [0, [], true]);
    assert.deepEqual(await judge(world), holds);
    assert.match(world.read("app/tasks/T-1/artifacts/evidence.html"), /<a href="attestation.json">/);
    const before = world.read(file);
    assert.equal((await evidence(key)).json().attested, false);
    assert.equal(world.read(file), before);
  });

  test("an agent that writes one is refused, and what it wrote is gone", async (t) => {
    const plant = 'test $TASK_PHASE_PASS != 2 || echo "{}" > "$TASK_PHASE_TASK_DIR/artifacts/attestation.json"';
    const world = makeSigningWorld(t, "checkpoint: commit\n", `mkdir -p "$TASK_PHASE_TASK_DIR/artifacts"; ${plant}`);
    const end = await world.loop("--max-passes", "2");
    const passes = end.json().passes as { verdict: string }[];
    assert.deepEqual(
      passes.map(({ verdict }) => verdict),
      ["accepted", "rejected"],
    );
    assert.equal(world.exists(file), false);
  });

  test("a key that is gone at the end leaves a task that is done, without one and without its commit", async (t) => {
    const world = makeSigningWorld(t, "checkpoint: commit\n", "test $TASK_PHASE_PASS != 5 || rm ../keys/runner");
    const end = await world.loop();
    assert.deepEqual([end.code, codesOf(end)], [0, ["TP_SIGN", "TP_SIGN"]]);
    assert.match(world.read("app/tasks/T-1/STATE.md"), /^- Phase: done$/m);
    assert.deepEqual([world.exists(file), world.calls()], [false, 5]);
  });

  test("a statement of somebody else, for something else, or that was not valid then, is refused", async (t) => {
    const world = done.copy(t);
    const statement = readStatement(world);
    const good = world.read(file);
    const mallory = world.makeKey("mallory");
    const signers = world.allow(world.line("runner"));
    sign(world, statement, mallory);
    assert.deepEqual(await judge(world, signers), [65, ["TP_ATTESTATION_SIGNER"], null]);
    for (const namespace of ["git", "file", "task-phase-trial"]) {
      sign(world, statement, world.key, namespace);
      assert.deepEqual(await judge(world, signers), [65, ["TP_ATTESTATION_SIGNATURE"], null], namespace);
    }
    sign(world, statement, world.key, "task-phase", false);
    assert.deepEqual(await judge(world, signers), [65, ["TP_ATTESTATION_SIGNATURE"], null], "the payload alone");
    world.write(file, good);
    for (const options of ['namespaces="git"', 'valid-before="20200101"', 'valid-after="20990101"'])
      assert.deepEqual(await judge(world, world.allow(world.line("runner", options))), [
        65,
        ["TP_ATTESTATION_SIGNER"],
        null,
      ]);
    const windows = world.write("crlf", `\ufeff# who may sign\r\n${world.line("runner")}\r\n`);
    assert.deepEqual(await judge(world, windows), holds);
    assert.deepEqual((await judge(world, world.write("empty", "")))[0], 65);
  });

  test("an envelope that could be read in two ways is none", async (t) => {
    const world = done.copy(t);
    const envelope = readEnvelope(world);
    const [signature = { keyid: "", sig: "" }] = envelope.signatures;
    const bad: Record<string, string> = {
      empty: "",
      "no JSON": "{",
      "a list": "[]",
      "a mark before it": `\ufeff${JSON.stringify(envelope)}`,
      "no signature": JSON.stringify({ ...envelope, signatures: [] }),
      "two signatures": JSON.stringify({ ...envelope, signatures: [signature, signature] }),
      "another type": JSON.stringify({ ...envelope, payloadType: "application/json" }),
      "a payload that is no base64": JSON.stringify({ ...envelope, payload: `${envelope.payload} ` }),
      "a payload that is a number": JSON.stringify({ ...envelope, payload: 1 }),
      "no statement": JSON.stringify({ ...envelope, payload: "e30=" }),
    };
    const signers = world.allow(world.line("runner"));
    for (const [name, text] of Object.entries(bad)) {
      world.write(file, text);
      assert.deepEqual((await judge(world, signers)).slice(0, 2), [65, ["TP_ATTESTATION"]], name);
    }
    world.write(file, JSON.stringify({ ...envelope, signatures: [{ ...signature, sig: "bm9uZQ==" }] }));
    assert.deepEqual(await judge(world, signers), [65, ["TP_ATTESTATION_SIGNATURE"], null]);
  });

  test("each difference between statement and task folder is named, with any signature", async (t) => {
    const world = done.copy(t);
    const signers = world.allow(world.line("runner"));
    const good = { attestation: world.read(file), journal: world.read(journal) };
    const told = async () => {
      const end = await check(world, signers);
      const findings = end.json().findings as { code: string; message: string }[];
      const differing = findings.filter(({ code }) => code === "TP_ATTESTATION_DIFFERS");
      return [end.code, ...differing.map(({ message }) => message.split(":")[0])];
    };
    const change: [string, (statement: Statement) => void][] = [
      [
        "subject[0].digest.taskPhaseFingerprint",
        ({ subject }) => Object.assign(subject[0]?.digest ?? {}, { taskPhaseFingerprint: "0" }),
      ],
      ["subject[1].digest.gitCommit", ({ subject }) => Object.assign(subject[1]?.digest ?? {}, { gitCommit: "0" })],
      ["subject[2]", ({ subject }) => subject.push({ name: "more", digest: {} })],
      ["predicate.result", ({ predicate }) => Object.assign(predicate, { result: "WARNED" })],
      ["predicate.passedTests[1]", ({ predicate }) => Object.assign(predicate, { passedTests: ["tests", "lint"] })],
      ["predicate.taskPhase.task", ({ predicate }) => Object.assign(predicate.taskPhase, { task: "T-2" })],
      ["predicate.taskPhase.grade", ({ predicate }) => Object.assign(predicate.taskPhase, { grade: "shown" })],
      [
        "predicate.taskPhase.checks[0].exit_code",
        ({ predicate }) => Object.assign(predicate.taskPhase.checks[0] ?? {}, { exit_code: 1 }),
      ],
      ["predicate.taskPhase.more", ({ predicate }) => Object.assign(predicate.taskPhase, { more: true })],
    ];
    for (const [place, act] of change) {
      world.write(file, good.attestation);
      const statement = readStatement(world);
      act(statement);
      sign(world, statement);
      assert.deepEqual(await told(), [65, place]);
    }
    world.write(file, good.attestation);
    const log = "app/tasks/T-1/artifacts/passes/0004/validators/tests.log";
    const text = world.read(log);
    world.write(log, `${text}all is well\n`);
    assert.deepEqual(await told(), [65, "predicate.taskPhase.checks[0].log_sha256"]);
    rmSync(world.path(log));
    assert.deepEqual(await told(), [65, "predicate.taskPhase.checks[0].log_sha256"]);
    world.write(log, text);
    let prev: string | null = null;
    const lines = good.journal
      .trimEnd()
      .split("\n")
      .map((line) => {
        const made = JSON.stringify({ ...(JSON.parse(line) as object), prev }).replaceAll("walker", "person");
        prev = sha256(made);
        return made;
      });
    world.write(journal, `${lines.join("\n")}\n`);
    assert.deepEqual(await told(), [65, "predicate.taskPhase.event_sha256"]);
    world.write(journal, good.journal.replace('"seq":2,', '"seq":3,'));
    const broken = await check(world, signers);
    assert.deepEqual([broken.code, codesOf(broken).includes("TP_JOURNAL_BROKEN")], [65, true]);
  });

  test("a task that was opened again has none that holds until it is done again", async (t) => {
    const world = done.copy(t);
    const signers = world.allow(world.line("runner"));
    const resume = ["resume", "T-1", "--to", "intake", "--reason", "more"];
    assert.equal((await world.call("task-phase", resume, { cwd: "app" })).code, 0);
    assert.deepEqual((await judge(world, signers)).slice(0, 2), [65, ["TP_ATTESTATION_DIFFERS"]]);
    const first = world.read(file);
    assert.equal((await world.loop()).code, 0);
    assert.deepEqual(await judge(world, signers), holds);
    world.write(file, first);
    assert.deepEqual((await judge(world, signers))[0], 65, "an older statement of the same task");
  });

  test("needs a file of signers and ssh-keygen", async (t) => {
    const world = makeSigningWorld(t);
    const alone = await world.check("T-1", "--attestation");
    assert.deepEqual([alone.code, codesOf(alone)], [64, ["TP_USAGE_SIGNERS"]]);
    const words = ["check", "T-1", "--json", "--attestation", "--allowed-signers", world.allow(world.line("runner"))];
    const none = await world.call("task-phase", words, { cwd: "app", env: { PATH: "/nowhere" } });
    assert.deepEqual([none.code, codesOf(none).at(-1)], [78, "TP_SSH_KEYGEN"]);
    const people = await world.call(
      "task-phase",
      words.filter((word) => word !== "--json"),
      { cwd: "app" },
    );
    assert.equal(people.code, 65);
    assert.match(people.stdout, /^attestation of T-1: does not hold$/m);
  });
});
