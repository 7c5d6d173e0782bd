import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import type { ChecksRequest } from "../../lib/checks/contract-checks.ts";
import type { Contract, ContractCheck } from "../../lib/documents/contract.ts";
import { applyDefaults } from "../../lib/documents/contract-defaults.ts";
import { createMark } from "../../lib/process/mark.ts";
import { emptyHistory } from "../../lib/rules/history.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { makeWorld, type World } from "../cli/arrange.ts";
import { noExpectation } from "./proof/arrange.ts";

export interface ContractWorld extends World {
  /** A check that runs this line of a shell in the repo; `$OUT` is a folder beside it. */
  check(name: string, line: string, more?: Partial<ContractCheck>): ContractCheck;
  request(
    checks: readonly ContractCheck[],
    more?: Partial<Omit<ChecksRequest, "contract">> & { contract?: Partial<Contract> },
  ): ChecksRequest;
  /** How often each check ran, by the lines that it wrote to `$OUT/NAME`. */
  count(name: string): number;
}

/** A repo with a task, whose checks count how often they run. */
export function makeContractWorld(t: TestContext, files: Readonly<Record<string, string>> = {}): ContractWorld {
  const world = makeWorld(t);
  const repo = world.initRepo({ "a.txt": "a\n", ...files });
  world.write("repo/tasks/T-1/STATE.md", "");
  world.write("out/.keep", "");
  world.write("private/.keep", "");
  const place = placeOf(world.path("repo/tasks/T-1"));
  return {
    ...world,
    count: (name) =>
      world.exists(`out/${name}`) ? readFileSync(world.path(`out/${name}`), "utf8").split("\n").length - 1 : 0,
    check: (name, line, more = {}) => ({
      command: ["sh", "-c", `OUT='${world.path("out")}'; echo >> "$OUT/${name}"; ${line}`],
      ...{ name, timeoutMs: 30_000, required: true, expect: noExpectation, ...more },
    }),
    request: (validators, { contract = {}, ...more } = {}) => ({
      contract: { ...applyDefaults({ id: "T-1", title: "", validators: [...validators] }), ...contract },
      ...{ repo, place, history: emptyHistory, pass: 3 },
      ...{ logFolder: world.path("logs"), logRelative: "logs" },
      mark: createMark(world.path("private")),
      ports: {
        ...{ env: world.env, home: world.path("home"), cwd: repo, now: () => new Date() },
        ...{ redactor: createRedactor({}), signal: new AbortController().signal, tell: () => undefined },
      },
      ...more,
    }),
  };
}
