import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { commandTable } from "../../lib/cli/command-table.ts";
import { exitCodes } from "../../lib/text/exit-codes.ts";
import { splitShellWords } from "../../lib/text/shell-words.ts";
import { makeWorld, projectRoot } from "./arrange.ts";

const folder = path.join(projectRoot, "docs", "fleet");
const page = readFileSync(path.join(projectRoot, "docs", "many-machines.md"), "utf8");
const read = (name: string) => readFileSync(path.join(folder, name), "utf8");
const units = readdirSync(folder).filter((name) => /\.(service|timer)$/.test(name));

interface PodTemplate {
  readonly spec: {
    readonly terminationGracePeriodSeconds?: number;
    readonly volumes: readonly { readonly name: string }[];
    readonly containers: readonly {
      readonly args: readonly string[];
      readonly env: readonly { readonly name: string }[];
      readonly volumeMounts: readonly { readonly name: string }[];
    }[];
  };
}

interface Deployment {
  readonly kind: "Deployment";
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: PodTemplate & { readonly metadata: { readonly labels: object } };
  };
}

interface CronJob {
  readonly kind: "CronJob";
  readonly spec: {
    readonly schedule: string;
    readonly jobTemplate: { readonly spec: { readonly template: PodTemplate } };
  };
}

/** A command and its flags are those of the table, which the help and the parser are made from. */
function assertKnown([name = "", ...words]: readonly string[], where: string): void {
  const spec = commandTable.find((one) => one.name === name);
  assert(spec, `${where}: there is no command ${name}`);
  for (const word of words.filter((one) => one.startsWith("--"))) {
    const flag = word.slice(2).split("=")[0];
    assert(
      spec.flags.some((one) => one.name === flag),
      `${where}: ${name} has no ${word}`,
    );
  }
}

function settingOf(unit: string, key: string): string {
  return new RegExp(`^${key}=(.*)$`, "m").exec(unit)?.[1] ?? assert.fail(`no ${key}`);
}

test("each unit starts a command that is there, and takes all of it down with it", () => {
  const started = units.filter((name) => name.endsWith(".service"));
  assert.deepEqual(started, ["task-phase-dispatch.service", "task-phase-worker.service"]);
  for (const name of started) {
    const unit = read(name);
    const [env, program, ...words] = settingOf(unit, "ExecStart").split(" ");
    assert.deepEqual(
      [env, program, settingOf(unit, "KillMode")],
      ["/usr/bin/env", "task-phase", "control-group"],
      name,
    );
    assertKnown(words, name);
  }
  const worker = read("task-phase-worker.service");
  assert.equal(settingOf(worker, "RestartPreventExitStatus"), `${exitCodes.usage} ${exitCodes.config}`);
  assert.equal(settingOf(worker, "SuccessExitStatus"), String(exitCodes.sigterm));
  assert.equal(settingOf(read("task-phase-dispatch.service"), "SuccessExitStatus"), String(exitCodes.locked));
});

test("the units are what systemd takes", (t) => {
  const world = makeWorld(t);
  const files = units.map((name) => world.write(`units/${name}`, read(name)));
  const verified = spawnSync("systemd-analyze", ["--man=no", "verify", ...files], { env: world.env, encoding: "utf8" });
  if ((verified.error as NodeJS.ErrnoException | undefined)?.code === "ENOENT") {
    t.skip("systemd-analyze is not here");
    return;
  }
  const said = verified.stderr.split("\n").filter((line) => line.includes("task-phase-"));
  assert.deepEqual([verified.status, said], [0, []], verified.stderr);
});

test("the files for Kubernetes call commands that are there, and mount what they name", () => {
  const worker = parse(read("worker.yaml")) as Deployment;
  const dispatch = parse(read("dispatch.yaml")) as CronJob;
  assert.deepEqual([worker.kind, dispatch.kind], ["Deployment", "CronJob"]);
  assert.deepEqual(worker.spec.selector.matchLabels, worker.spec.template.metadata.labels);
  assert.match(dispatch.spec.schedule, /^\S+ \S+ \S+ \S+ \S+$/);
  for (const [name, { spec }] of [
    ["worker.yaml", worker.spec.template],
    ["dispatch.yaml", dispatch.spec.jobTemplate.spec.template],
  ] as const) {
    const [container, ...others] = spec.containers;
    assert(container !== undefined && others.length === 0, name);
    assertKnown(container.args, name);
    assert.deepEqual(
      container.volumeMounts.map((one) => one.name),
      spec.volumes.map((one) => one.name),
    );
    for (const word of container.args) {
      const variable = /^\$\((\w+)\)$/.exec(word)?.[1];
      assert(variable === undefined || container.env.some((one) => one.name === variable), `${name}: ${word} is unset`);
    }
  }
  // As long as systemd waits, and no shorter than a pass needs to end in order.
  const grace = `${worker.spec.template.spec.terminationGracePeriodSeconds}`;
  assert.equal(grace, settingOf(read("task-phase-worker.service"), "TimeoutStopSec"));
});

test("each file that starts single passes claims one, and lets 75 and 21 pass", () => {
  const names = ["github-matrix.yml", "gitlab-matrix.yml", "pass.yaml"];
  for (const name of names) {
    const text = JSON.stringify(parse(read(name)));
    const [words = ""] = /task-phase run --claim [^|]*/.exec(text) ?? [];
    assertKnown(words.split(" ").slice(1), name);
    assert.match(text, /\|\|.* case \$\? in 21 \| 75\) ;; \*\) exit 1 ;; esac/, name);
  }
  const script = read("each-task.sh");
  const end = spawnSync("sh", ["-n"], { input: script, encoding: "utf8" });
  assert.deepEqual([end.status, end.stderr], [0, ""]);
  for (const [, words = ""] of script.matchAll(/task-phase ((?:run|status) [^|\n]*)/g))
    assertKnown(words.split(" "), "each-task.sh");
});

test("the image starts a worker, with the packages that the engine asks for", () => {
  const file = read("Containerfile").replaceAll("\\\n", " ");
  const lists = [...file.matchAll(/^(?:ENTRYPOINT|CMD) (\[.*\])$/gm)].map(
    ([, list = ""]) => JSON.parse(list) as string[],
  );
  const words = lists.flat();
  assertKnown(words.slice(words.indexOf("task-phase") + 1), "Containerfile");
  for (const [, script = ""] of file.matchAll(/^RUN (.*)$/gm)) {
    const end = spawnSync("sh", ["-n", "-c", script], { encoding: "utf8" });
    assert.deepEqual([end.status, end.stderr], [0, ""], script);
  }
  const manifest = JSON.parse(readFileSync(path.join(projectRoot, "package.json"), "utf8")) as {
    peerDependencies: Readonly<Record<string, string>>;
  };
  const boss = /^\^(\d+)\./.exec(manifest.peerDependencies["pg-boss"] ?? "")?.[1];
  assert.match(file, new RegExp(` pg-boss@${boss} pg `));
});

test("every command of docs/many-machines.md is there, with its flags, and its scripts are ones", () => {
  let commands = 0;
  const judge = (written: string) => {
    // Without the remark behind it and the pipe that takes its output; a variable may be anything.
    const line = written.replace(/ +[#|].*$/, "").replace(/"\$\w+"/g, "VALUE");
    if (!/^(?:\w+=\S+ )*task-phase /.test(line)) return;
    const split = splitShellWords(line);
    const words = split.kind === "words" ? split.words : assert.fail(`${line}: ${split.problem}`);
    const at = words.indexOf("task-phase");
    commands += 1;
    assertKnown(words.slice(at + 1), "docs/many-machines.md");
  };
  for (const [, indent = "", script = ""] of page.matchAll(/^( *)```sh\n(.*?)^\1```/gms)) {
    const end = spawnSync("sh", ["-n"], { input: script, encoding: "utf8" });
    assert.deepEqual([end.status, end.stderr], [0, ""], script);
    for (const line of script.replaceAll("\\\n", " ").split("\n")) judge(line.slice(indent.length));
  }
  for (const [, span = ""] of page.replace(/```.*?```/gs, "").matchAll(/`(task-phase [^`]+)`/g))
    judge(span.replace(/\s+/g, " "));
  assert(commands >= 8, `${commands} commands`);
  const linked = [...page.matchAll(/\]\(fleet\/([^)]+)\)/g)].map(([, name]) => name).sort();
  assert.deepEqual(linked, readdirSync(folder).sort());
});
