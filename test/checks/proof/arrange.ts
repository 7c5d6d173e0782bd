import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import type { CellGround } from "../../../lib/checks/proof/cell.ts";
import type { CopyContents } from "../../../lib/checks/proof/clean-copy.ts";
import { checkEnvironment } from "../../../lib/checks/runs/environment.ts";
import type { ContractCheck } from "../../../lib/documents/contract.ts";
import { takeFingerprint } from "../../../lib/git/fingerprint.ts";
import { createMark } from "../../../lib/process/mark.ts";
import { type Origin, openOrigin, saveOrigin } from "../../../lib/task/origin.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { makeWorld, type World } from "../../cli/arrange.ts";

/** A repo whose folder name has a space, with what a matrix about it needs. */
export interface ProofWorld extends World {
  readonly repo: string;
  link(target: string, name: string): void;
  makeExecutable(name: string): void;
  /** The present contents of the repo, as a cell takes them. */
  contents(): Promise<CopyContents>;
  /** Keeps the repo as it is now. */
  origin(): Promise<Origin>;
  ground(checks: readonly ContractCheck[], more?: Partial<CellGround>): CellGround;
}

export function makeProofWorld(t: TestContext, files: Readonly<Record<string, string>>): ProofWorld {
  const world = makeWorld(t);
  const repo = world.initRepo(files, "my repo");
  const place = { folder: world.path("kept/origin"), pool: world.path("kept/pool") };
  mkdirSync(world.path("runner/work"), { recursive: true });
  mkdirSync(world.path("runner/copies"));
  const fingerprint = () => takeFingerprint(repo, [], world.env);
  return {
    ...world,
    repo,
    link: (target, name) => {
      mkdirSync(path.dirname(world.path(name)), { recursive: true });
      symlinkSync(target, world.path(name));
    },
    makeExecutable: (name) => chmodSync(world.path(name), 0o755),
    contents: async () => presentOf((await fingerprint()).entries),
    origin: async () => {
      const now = await fingerprint();
      const problem = await saveOrigin(place, repo, now);
      const kept = openOrigin(place, now.hash);
      if (problem !== null || kept === null) throw new Error(problem ?? "the origin was not kept");
      return kept;
    },
    ground: (validators, more = {}) => ({
      repo,
      top: repo,
      origin: null,
      history: null,
      unseparated: null,
      blobs: world.path("runner/blobs"),
      listed: new Set<string>(),
      nested: [],
      settings: [],
      pins: null,
      checks: { validators, scenarios: [] },
      rules: { carry: ["node_modules"], prepare: [] },
      env: checkEnvironment(world.env),
      home: { path: world.path("home"), seen: "own" },
      copies: world.path("runner/copies"),
      temporary: world.path("runner/work"),
      redactor: createRedactor({}),
      mark: createMark(world.path("runner/work")),
      signal: new AbortController().signal,
      sandbox: null,
      isSeen: () => true,
      ...more,
    }),
  };
}

export function presentOf(entries: ReadonlyMap<string, string>): CopyContents {
  return new Map([...entries].map(([name, entry]) => [name, { entry, from: "repo" as const }]));
}

export const noExpectation = { minTests: null, output: null };

/** A check that runs these words of JavaScript in an ES module. */
export function nodeCheck(name: string, code: string): ContractCheck {
  const command = [process.execPath, "--input-type=module", "-e", code];
  return { name, command, timeoutMs: 30_000, required: true, expect: noExpectation };
}

/** Everything in a folder by its path: `file 644 TEXT` or `link TARGET`; Latin-1 text of the bytes. */
export function listTree(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (at: Buffer, name: Buffer): void => {
    for (const entry of readdirSync(at, { encoding: "buffer" })) {
      const absolute = Buffer.concat([at, Buffer.from("/"), entry]);
      const shown = name.length === 0 ? entry : Buffer.concat([name, Buffer.from("/"), entry]);
      const stats = lstatSync(absolute);
      if (stats.isDirectory()) visit(absolute, shown);
      else if (stats.isSymbolicLink())
        found[shown.toString("latin1")] = `link ${readlinkSync(absolute, { encoding: "latin1" })}`;
      else
        found[shown.toString("latin1")] =
          `file ${(stats.mode & 0o777).toString(8)} ${readFileSync(absolute, "latin1")}`;
    }
  };
  visit(Buffer.from(folder), Buffer.alloc(0));
  return found;
}
