import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type LoadedConfig, loadConfig } from "../../../lib/documents/config/load-config.ts";
import type { ModelConfig } from "../../../lib/documents/config/model-schema.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";

export interface Place {
  readonly root: string;
  readonly write: (path: string, text: string) => string;
  readonly load: (options?: { flag?: string; env?: NodeJS.ProcessEnv }) => LoadedConfig;
  readonly problems: (options?: { flag?: string; env?: NodeJS.ProcessEnv }) => string[];
}

/** A home and a tree `work/tasks/T-1` in a folder of their own. */
export function inPlace(run: (place: Place) => void): void {
  const root = mkdtempSync(join(tmpdir(), "task-phase-config-"));
  const taskDir = join(root, "work/tasks/T-1");
  mkdirSync(taskDir, { recursive: true });
  const write = (path: string, text: string): string => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    return join(root, path);
  };
  const load: Place["load"] = ({ flag = null, env = {} }: { flag?: string | null; env?: NodeJS.ProcessEnv } = {}) =>
    loadConfig({ configFlag: flag, env, home: join(root, "home"), taskDir, cwd: root });
  const problems: Place["problems"] = (options) => {
    try {
      load(options);
    } catch (error) {
      if (!(error instanceof TaskPhaseError)) throw error;
      assert.equal(error.exitName, "config");
      return error.findings.map(
        ({ code, line, column, message, fix }) => `${code} ${line}:${column} ${message} → ${fix}`,
      );
    }
    return assert.fail("loads");
  };
  try {
    run({ root, write, load, problems });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The models of a task-phase.yaml with this text. */
export function readModels(yaml: string): readonly ModelConfig[] {
  let models: readonly ModelConfig[] = [];
  inPlace(({ write, load }) => {
    write("work/task-phase.yaml", yaml);
    models = load().models;
  });
  return models;
}

/** One test a text: its problems are these, each `CODE line:column message → fix`. */
export function refuses(table: readonly (readonly [yaml: string, ...expected: string[]])[]): void {
  for (const [yaml, ...expected] of table) {
    test(`a wrong configuration is a config error with its place: ${JSON.stringify(yaml.slice(0, 90))}`, () => {
      inPlace(({ write, problems }) => {
        write("work/task-phase.yaml", `${yaml}\n`);
        assert.deepEqual(problems(), expected);
      });
    });
  }
}
