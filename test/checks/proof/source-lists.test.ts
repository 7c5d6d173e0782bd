import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withNewSources } from "../../../lib/checks/proof/source-lists.ts";

const fresh = ["src/line.c", "src/line.h"].map((path) => ({ path, text: "1", before: null }));

const added = [...fresh, { path: "test/new.c", text: "1", before: null }];

const earlier = ["src/cart.c", "src/label.c", "src/main.c", "a.c", "b.c", "src/cart.h", "test/t.c", "vendor/unity.c"];

function merge(before: string, text: string, more = fresh, path = "Makefile"): string {
  const merged = withNewSources([{ path, before, text }, ...more], [path, "test/new.c"], earlier);
  return merged.get(path) ?? before;
}

describe("withNewSources", () => {
  const longer: [string, string, string][] = [
    ["a line", "SRC = src/cart.c\n", "SRC = src/cart.c src/line.c\n"],
    ["objects", "cart: main.o cart.o\n", "cart: main.o line.o cart.o\n"],
    ["a line that is continued", "SRC = a.c \\\n  b.c\n", "SRC = a.c \\\n  b.c \\\n  line.c\n"],
    ["the first of a command", "\tcc -Wall cart.c -o t\n", "\tcc -Wall line.c cart.c -o t\n"],
    ["a call", "add_library(cart src/cart.c)\n", "add_library(cart\n  src/cart.c\n  src/line.c\n)\n"],
    ["a list of texts", "s = files(\n  'cart.c',\n)\n", "s = files(\n  'cart.c',\n  'src/line.c',\n)\n"],
    ["a folder in a variable", "SRC = $(D)/cart.c\n", "SRC = $(D)/cart.c $(D)/line.c\n"],
  ];
  for (const [what, before, text] of longer)
    it(`keeps new sources of ${what}`, () => assert.equal(merge(before, text), text));
  it("takes all other lines as at pass 1", () =>
    assert.equal(
      merge("CFLAGS = -O0\nSRC = cart.c\ntest:\n\t./t\n", "CFLAGS = -DNDEBUG\nSRC = cart.c line.c\ntest:\n\t-./t\n"),
      "CFLAGS = -O0\nSRC = cart.c line.c\ntest:\n\t./t\n",
    ));
  it("keeps no names in a source", () => {
    const file = { path: "test/a.c", before: "a(cart.c)\n", text: "a(cart.c line.c)\n" };
    assert.deepEqual([...withNewSources([file, ...fresh], ["test/a.c"], earlier)], []);
  });
  it("keeps names in the lists of a test folder's build", () => {
    const text = "add_executable(t t.c ../src/cart.c ../src/line.c)\n";
    assert.equal(merge(text.replace(" ../src/line.c", ""), text, fresh, "test/CMakeLists.txt"), text);
  });
  it("keeps no names in what a check compares with", () =>
    assert.equal(merge("cart.c\n", "cart.c line.c\n", fresh, "test/expected.txt"), "cart.c\n"));
  it("adds new sources to a test's list that also names new tests", () =>
    assert.equal(
      merge("add_executable(t t.c cart.c)\n", "add_executable(t t.c test/new.c cart.c line.c)\n", added).trim(),
      "add_executable(t t.c  cart.c line.c)",
    ));
  const ofLibraries: [string, string, string, string][] = [
    [
      "CMakeLists.txt",
      "project(x C)\nadd_library(cart src/cart.c)\nadd_test(NAME t COMMAND t)\n",
      "project(x C)\nfind_package(Threads)\nadd_library(cart src/cart.c src/line.c)\ntarget_link_libraries(cart Threads)\n",
      "add_executable(n test/new.c)\nadd_test(NAME t COMMAND true)\n",
    ],
    [
      "meson.build",
      "project('x', 'c')\ns = [\n  'src/cart.c',\n]\nl = library('l', s)\ntest('t', t)\n",
      "project('x', 'c')\ns = [\n  'src/cart.c',\n  'src/line.c',\n]\nd = dependency('m')\nl = library('l', s, dependencies: d)\n",
      "n = executable('n', 'test/new.c')\ntest('t', t, should_fail: true)\n",
    ],
    [
      "Makefile.am",
      "l_SOURCES = cart.c\nTESTS = t\n",
      "l_SOURCES = cart.c line.c\nl_CFLAGS = -DLINE\n",
      "TESTS = true\nXFAIL_TESTS = true\n",
    ],
  ];
  for (const [path, before, libraries, tests] of ofLibraries)
    it(`takes what ${path} says of libraries as it is now, and of tests as at pass 1`, () =>
      assert.equal(merge(before, libraries + tests, added, path), libraries + before.split("\n").slice(-2).join("\n")));
  for (const line of [
    "add_compile_definitions(NDEBUG)",
    "target_compile_options(cart PUBLIC -include x.h)",
    "target_compile_definitions(cart PUBLIC NDEBUG)",
    "set(CMAKE_CROSSCOMPILING_EMULATOR true)",
    "if(FALSE)",
    "target_link_libraries(cart_test fake)",
  ])
    it(`takes away ${line}`, () => {
      const before = "add_library(cart src/cart.c)\nadd_test(NAME t COMMAND t)\n";
      assert.equal(merge(before, `${line}\n${before}add_test(NAME n COMMAND n)\n`, added, "CMakeLists.txt"), before);
    });
  it("takes all of the build of a test folder as at pass 1", () => {
    const before = "add_executable(t t.c)\n";
    assert.equal(merge(before, `find_package(X)\n${before}`, added, "test/CMakeLists.txt"), before);
  });
  const refused: [string, string, string][] = [
    ["in a list that lost one", "SRC = cart.c label.c\n", "SRC = cart.c line.c\n"],
    ["beside another word", "SRC = cart.c\n", "SRC = cart.c line.c -w\n"],
    ["beside a test alone", "t: t.c\n\tcc t.c -lck\n", "t: t.c\n\tcc t.c line.c -lck\n"],
    ["beside an object of a test", "t: t.o\n", "t: line.o t.o\n"],
    ["beside a library that is not the repo's", "t: t.c unity.c\n", "t: t.c line.c unity.c\n"],
    ["as a command", "t:\n\tcc t.c cart.c; ./t\n", "t:\n\tcc t.c cart.c; ./line.c ./t\n"],
    ["behind a flag", "t:\n\tcc -include cart.h cart.c\n", "t:\n\tcc -include line.h cart.h cart.c\n"],
    ["where no source stood", "test:\n\tsh run.sh\n", "test:\n\tsh src/line.c run.sh\n"],
    ["that are tests", "SRC = cart.c\n", "SRC = cart.c new.c\n"],
  ];
  for (const [what, before, text] of refused)
    it(`keeps no names ${what}`, () => assert.equal(merge(before, text, added), before));
});
