import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  findMakefile,
  isShellFile,
  readIncludes,
  readPathFolders,
  readProgram,
  readRecipes,
  readShebang,
  readSourcedBeside,
} from "../../../lib/checks/watch/command-files.ts";
import { write } from "../../git/git-repo.ts";
import { withFolder } from "../../store/temporary-folder.ts";

test("a program is read through a link, without its byte-order mark and not beyond a bound; nothing else is read", () =>
  withFolder((repo) => {
    write(repo, { "a.sh": "\ufefftrue\n", "large.sh": "x".repeat(300_000) });
    symlinkSync("a.sh", join(repo, "link"));
    symlinkSync("none", join(repo, "dangling"));
    mkdirSync(join(repo, "folder"));
    assert.equal(readProgram(repo, "a.sh"), "true\n");
    assert.equal(readProgram(repo, "link"), "true\n");
    assert.equal(readProgram(repo, "large.sh")?.length, 256 * 1024);
    for (const path of ["dangling", "folder", "none"]) assert.equal(readProgram(repo, path), null, path);
  }));

test("an interpreter that is looked up on PATH is read from the first line, and one at a fixed path is not", () => {
  const rows: readonly (readonly [text: string, words: string[]])[] = [
    ["#!/usr/bin/env node\nx", ["node"]],
    ["#!/usr/bin/env -S A=1 tsx --x\n", ["tsx", "--x"]],
    ["#! /bin/env python3 -u", ["python3", "-u"]],
    ["#!/usr/bin/env -Snode --x\n", ["node", "--x"]],
    ["#!/usr/bin/env -i\n", []],
    ["#!/bin/sh\n", []],
    ["\n#!/usr/bin/env node\n", []],
    ["", []],
  ];
  for (const [text, words] of rows) assert.deepEqual(readShebang(text), words, text);
});

test("a shell script is known by its name or its first line", () => {
  const rows: readonly (readonly [path: string, text: string, isShell: boolean])[] = [
    ["a.sh", "", true],
    ["a.zsh", "", true],
    ["a", "#!/bin/dash -e\n", true],
    ["a", "#!/usr/bin/env bash\n", true],
    ["a", "#!/usr/bin/fish\n", false],
    ["a.sh.txt", "", false],
    ["a", "# sh\n", false],
  ];
  for (const [path, text, isShell] of rows) assert.equal(isShellFile(path, text), isShell, `${path} ${text}`);
});

test("files that a text sources from its own folder, or from one that a variable names, are found", () => {
  const text = [
    '. "$(dirname "$0")/env.sh"',
    "source $HERE/a/b.sh; . \x24{DIR}/c.sh",
    ". `dirname $0`/d.sh",
    "source /etc/profile",
    ". ./e.sh",
    "source_all $HERE/f.sh",
  ].join("\n");
  assert.deepEqual(readSourcedBeside(text), ["env.sh", "a/b.sh", "c.sh", "d.sh"]);
});

test("folders of the repo that a text puts on PATH are found once each, and those of other places are not", () => {
  const rows: readonly (readonly [text: string, folders: string[]])[] = [
    ["export PATH := $(CURDIR)/bin:$(PATH)", ["bin"]],
    ['PATH="$PWD/tools/x/:./bin:bin:$PATH"; run', ["tools/x", "bin"]],
    ["PATH=/usr/bin:../up:$HOME", []],
    ["PATH=`pwd`/bin", ["bin"]],
    ["PATH=$X/node_modules/.bin:.tools/bin", [".tools/bin"]],
    ["PATH=$X/node_modules/tools", []],
    ["MYPATH=bin", []],
  ];
  for (const [text, folders] of rows) assert.deepEqual(readPathFolders(text), folders, text);
});

test("make reads the file that -f names, or the first of the usual names", () =>
  withFolder((repo) => {
    write(repo, { "a/Makefile": "", "a/GNUmakefile": "", "a/justfile": "", "a/my.mk": "", "b/Justfile": "" });
    assert.equal(findMakefile(repo, "a", ["check"]), "a/GNUmakefile");
    assert.equal(findMakefile(repo, "b", []), "b/Justfile");
    for (const flag of ["-f", "--file", "--makefile"])
      assert.equal(findMakefile(repo, "a", ["check", flag, "my.mk"]), "a/my.mk");
    assert.equal(findMakefile(repo, "a", ["-f", "none.mk"]), null);
    assert.equal(findMakefile(repo, "", ["-f"]), null);
    assert.equal(findMakefile(repo, "c", []), null);
  }));

test("recipes are read as a shell gets them", () => {
  const text = "all: a\n\t@echo a \\\n\t  b\n\n\t-+@true\nX = 1\n    run it\n";
  assert.equal(readRecipes(text), "echo a  \t  b\ntrue\nrun it");
  assert.equal(readRecipes(""), "");
});

test("included files are found by name and by pattern, and those that are missing are named", () =>
  withFolder((repo) => {
    write(repo, { "sub/a.mk": "", "sub/b.mk": "", "sub/c.txt": "" });
    const text = "include a.mk none.mk # x.mk\n-include *.mk $(V)/d.mk\nsinclude ../../out.mk\n include e.mk\n";
    const found = readIncludes(text, repo, "sub");
    assert.deepEqual([found.files.slice(0, 1), found.files.slice(1).sort()], [["sub/a.mk"], ["sub/a.mk", "sub/b.mk"]]);
    assert.deepEqual(found.missing, ["sub/none.mk"]);
    assert.deepEqual(readIncludes("", repo, ""), { files: [], missing: [] });
  }));
