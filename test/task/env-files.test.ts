import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readEnvFiles } from "../../lib/task/env-files.ts";
import { write } from "../git/git-repo.ts";
import { makeFolder } from "../process/arrange.ts";

test("the entries of .env files are those of the top and of the packages of its workspace", (t) => {
  const repo = makeFolder(t);
  const line = (value: string) => `# keys\r\nexport KEY="${value}"\r\n`;
  write(repo, {
    ".env": line("top"),
    ".env.local": "KEY=local\nOTHER='a b'\n",
    ".env.example": line("example"),
    ".env.prod.sample": line("sample"),
    ".env.defaults": line("defaults"),
    ".envrc": line("envrc"),
    "x.env": line("x"),
    "src/.env": line("src"),
    "packages/one/.env": line("one"),
    "apps/two/.env.test": line("two"),
    "apps/two/deep/.env": line("deep"),
    "libs/.env": line("libs"),
  });
  mkdirSync(join(repo, "packages/two/.env"), { recursive: true });
  symlinkSync(join(repo, ".env"), join(repo, "packages/one/.env.link"));
  assert.deepEqual(readEnvFiles(repo), {
    ".env:KEY": "top",
    ".env.local:KEY": "local",
    ".env.local:OTHER": "a b",
    "packages/one/.env:KEY": "one",
    "apps/two/.env.test:KEY": "two",
  });
  assert.deepEqual(readEnvFiles(join(repo, "none")), {});
});
