import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { withPrivateHome } from "../../../lib/checks/proof/cell-home.ts";

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
    GOCACHE: join(home, ".cache/go-build"),
    npm_config_cache: join(home, ".npm"),
    CARGO_HOME: join(temporary, "home", ".cargo"),
    GOFLAGS: "-count=1",
  });
  assert.deepEqual(readdirSync(join(temporary, "home")), [".cargo"]);
});

test("caches that XDG variables place elsewhere are found there", (t) => {
  const { home, temporary } = arrange(t);
  const [cache, data] = [join(home, "cache"), join(home, "data")];
  for (const path of [join(cache, "go-build"), join(data, "mise"), join(home, ".cache", "pip")])
    mkdirSync(path, { recursive: true });
  const env = withPrivateHome({ XDG_CACHE_HOME: cache, XDG_DATA_HOME: data }, home, temporary);
  assert.deepEqual(
    [env.GOCACHE, env.MISE_DATA_DIR, env.PIP_CACHE_DIR, env.XDG_CACHE_HOME, env.XDG_DATA_HOME],
    [join(cache, "go-build"), join(data, "mise"), undefined, undefined, undefined],
  );
});

test("cargo finds what it has downloaded, and no settings", (t) => {
  const { home, temporary } = arrange(t);
  const { CARGO_HOME = "" } = withPrivateHome({}, home, temporary);
  assert.deepEqual(readdirSync(CARGO_HOME), ["registry"]);
  assert.equal(readlinkSync(join(CARGO_HOME, "registry")), join(home, ".cargo", "registry"));
});

test("every cache and toolchain that is there is found by its variable, and none that is not", (t) => {
  const { home, temporary } = arrange(t);
  const paths = {
    GOMODCACHE: "go/pkg/mod",
    GOCACHE: ".cache/go-build",
    RUSTUP_HOME: ".rustup",
    npm_config_cache: ".npm",
    COREPACK_HOME: ".cache/node/corepack",
    PIP_CACHE_DIR: ".cache/pip",
    PYENV_ROOT: ".pyenv",
    RBENV_ROOT: ".rbenv",
    NVM_DIR: ".nvm",
    VOLTA_HOME: ".volta",
    ASDF_DATA_DIR: ".asdf",
    MISE_DATA_DIR: ".local/share/mise",
    GIT_CONFIG_GLOBAL: ".gitconfig",
  };
  const settings = { XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "s" };
  for (const path of Object.values(paths)) mkdirSync(join(home, path), { recursive: true });
  for (const part of ["git", "bin"]) mkdirSync(join(home, ".cargo", part));
  const own = join(temporary, "home");
  for (let time = 0; time < 2; time += 1) {
    assert.deepEqual(withPrivateHome(settings, home, temporary), {
      ...Object.fromEntries(Object.entries(paths).map(([variable, path]) => [variable, join(home, path)])),
      HOME: own,
      CARGO_HOME: join(own, ".cargo"),
      GOFLAGS: "-count=1",
    });
  }
  assert.deepEqual(readdirSync(join(own, ".cargo")).sort(), ["bin", "git", "registry"]);
  assert.equal(statSync(own).mode & 0o777, 0o700);
  const elsewhere = withPrivateHome({ CARGO_HOME: "/nowhere" }, join(home, "none"), join(temporary, "other"));
  assert.deepEqual(elsewhere, {
    HOME: join(temporary, "other/home"),
    CARGO_HOME: join(temporary, "other/home/.cargo"),
    GOFLAGS: "-count=1",
  });
  assert.deepEqual(readdirSync(elsewhere.CARGO_HOME ?? ""), []);
});

test("a cache that a tool makes is used by every run, once the first has made it", (t) => {
  const { home, temporary } = arrange(t);
  const caches = () => {
    const { GOCACHE, PIP_CACHE_DIR } = withPrivateHome({}, home, temporary);
    return [GOCACHE, PIP_CACHE_DIR];
  };
  assert.deepEqual(caches(), [join(home, ".cache/go-build"), undefined]);
  assert.equal(existsSync(join(home, ".cache")), false);
  writeFileSync(join(home, ".cache"), "");
  assert.deepEqual(caches(), [undefined, undefined]);
});

test("the environment's own setting of a cache stays", (t) => {
  const { home, temporary } = arrange(t);
  assert.equal(withPrivateHome({ npm_config_cache: "/cache" }, home, temporary).npm_config_cache, "/cache");
});

test("go runs each test anew, whatever other flags it gets", (t) => {
  const { home, temporary } = arrange(t);
  assert.equal(
    withPrivateHome({ GOFLAGS: "-mod=mod -tags=db" }, home, temporary).GOFLAGS,
    "-count=1 -mod=mod -tags=db",
  );
});
