import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { withPrivateHome } from "../../lib/proof/cell-home.ts";

function arrange(t: { after(act: () => void): void }) {
  const folder = mkdtempSync(join(tmpdir(), "cell-home-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, "me");
  const temporary = join(folder, "tmp");
  for (const path of [".npm", "go/pkg/mod", ".cargo/registry", ".config"])
    mkdirSync(join(home, path), { recursive: true });
  writeFileSync(join(home, ".cargo", "config.toml"), '[target.x]\nrunner = "true"\n');
  writeFileSync(join(home, ".npmrc"), "script-shell=/bin/true\n");
  mkdirSync(temporary);
  return { home, temporary };
}

test("the home folder of a cell is empty, and caches lead to the user's own", (t) => {
  const { home, temporary } = arrange(t);
  const env = withPrivateHome({ HOME: home, PATH: "/bin", XDG_CONFIG_HOME: join(home, ".config") }, home, temporary);
  assert.deepEqual(env, {
    PATH: "/bin",
    HOME: join(temporary, "home"),
    GOMODCACHE: join(home, "go/pkg/mod"),
    npm_config_cache: join(home, ".npm"),
    CARGO_HOME: join(temporary, "home", ".cargo"),
  });
  assert.deepEqual(readdirSync(join(temporary, "home")), [".cargo"]);
});

test("cargo finds what it has downloaded, and no settings", (t) => {
  const { home, temporary } = arrange(t);
  const { CARGO_HOME = "" } = withPrivateHome({}, home, temporary);
  assert.deepEqual(readdirSync(CARGO_HOME), ["registry"]);
  assert.equal(readlinkSync(join(CARGO_HOME, "registry")), join(home, ".cargo", "registry"));
});

test("what the environment says of a cache stays as it is", (t) => {
  const { home, temporary } = arrange(t);
  assert.equal(withPrivateHome({ npm_config_cache: "/cache" }, home, temporary).npm_config_cache, "/cache");
});
