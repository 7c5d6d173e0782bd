import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { FleetConfig } from "../../lib/documents/config/fleet-schema.ts";
import { claimPlace } from "../../lib/fleet/claim-place.ts";
import { agreeOnEngine, readRemote, repoOf, resolveRemote, settingsOf } from "../../lib/fleet/read-remote.ts";
import { cacheHome } from "../../lib/store/state-home.ts";
import { git, gitEnv } from "../git/git-repo.ts";
import { makeFolder } from "../process/arrange.ts";

test("a remote has one name for every login", () => {
  assert.equal(repoOf("https://me:secret@h/x"), repoOf("https://h/x"));
  assert.notEqual(repoOf("https://h/x"), repoOf("https://h/y"));
});

test("a path that is gone is a wrong word, unless this machine fetched it before", (t) => {
  const cwd = makeFolder(t);
  const ports = { env: { XDG_CACHE_HOME: join(cwd, "cache") }, home: cwd };
  assert.throws(() => resolveRemote("gone.git", cwd, ports), /there is no repository at this path/);
  const { mirror } = claimPlace(cacheHome(ports.env, ports.home), join(cwd, "gone.git"), "");
  mkdirSync(mirror, { recursive: true });
  assert.equal(resolveRemote("gone.git", cwd, ports), join(cwd, "gone.git"));
});

test("a remote without a branch is named, and one that does not answer says why", async (t) => {
  const folder = makeFolder(t);
  const url = join(folder, "empty.git");
  git(folder, "init", "-q", "--bare", url);
  let at = Date.now();
  const now = () => {
    at += 30_000;
    return new Date(at);
  };
  const env = { ...gitEnv, XDG_CACHE_HOME: join(folder, "cache") };
  const ports = { env, home: folder, cwd: folder, now, signal: new AbortController().signal };
  await assert.rejects(readRemote({ url, config: null }, ports), (error: Error & { findings?: unknown[] }) => {
    const [finding] = (error.findings ?? []) as { code: string; file: string }[];
    assert.deepEqual([finding?.code, finding?.file], ["TP_REMOTE_EMPTY", url]);
    return true;
  });
  const why = await readRemote({ url: join(folder, "none.git"), config: null }, ports);
  assert.match(String(why), /does not appear to be a git repository/);
});

describe("the engine of several remotes", () => {
  const fleet = (urlEnv: string, heartbeatMs: number, schema = "s") =>
    ({ engine: { urlEnv, schema }, lease: { heartbeatMs, marginMs: 1 } }) as unknown as FleetConfig;
  const agree = (...fleets: (FleetConfig | null)[]) =>
    agreeOnEngine(fleets.map((one, index) => ({ url: `https://h/${index}`, config: { fleet: one } })));

  test("is one, with the longest lease of theirs", () => {
    assert.equal(agree(), null);
    const longest = { urlEnv: "URL", schema: "s", heartbeatMs: 30, marginMs: 1 };
    assert.deepEqual(agree(fleet("URL", 10), fleet("URL", 30), fleet("URL", 20)), longest);
    assert.equal(settingsOf(null), null);
  });

  test("is an error where a remote names none, or another one", () => {
    assert.throws(() => agree(fleet("URL", 1), null), /task-phase\.yaml of https:\/\/h\/1 names no engine/);
    const none = { engine: null, lease: null } as unknown as FleetConfig;
    assert.throws(() => agree(none), /task-phase\.yaml of https:\/\/h\/0 names no engine/);
    const other = /https:\/\/h\/1 names a different engine than the remotes before it: s at OTHER, not s at URL/;
    assert.throws(() => agree(fleet("URL", 1), fleet("OTHER", 1)), other);
    assert.throws(() => agree(fleet("URL", 1), fleet("URL", 1, "t")), /t at URL, not s at URL/);
  });
});
