import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withNewSources } from "../../../lib/checks/proof/source-lists.ts";

const fresh = ["src/line.c", "src/line.h"].map((path) => ({ path, text: "1", before: null }));

function merge(before: string, text: string, more = fresh): string {
  const merged = withNewSources([{ path: "Makefile", before, text }, ...more], ["Makefile", "test/new.c"]);
  return merged.get("Makefile") ?? before;
}

describe("withNewSources", () => {
  const longer: [string, string, string][] = [
    ["a line", "SRC = src/cart.c\n", "SRC = src/cart.c src/line.c\n"],
    ["objects", "cart: main.o cart.o\n", "cart: main.o line.o cart.o\n"],
    ["a line that is continued", "SRC = a.c \\\n  b.c\n", "SRC = a.c \\\n  b.c \\\n  line.c\n"],
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
    assert.deepEqual([...withNewSources([file, ...fresh], ["test/a.c"])], []);
  });
  const refused: [string, string, string][] = [
    ["in a list that lost one", "SRC = cart.c label.c\n", "SRC = cart.c line.c\n"],
    ["beside another word", "SRC = cart.c\n", "SRC = cart.c line.c -w\n"],
    ["where no source stood", "test:\n\tsh run.sh\n", "test:\n\tsh src/line.c run.sh\n"],
    ["that are tests", "SRC = cart.c\n", "SRC = cart.c new.c\n"],
  ];
  for (const [what, before, text] of refused)
    it(`keeps no names ${what}`, () =>
      assert.equal(merge(before, text, [...fresh, { path: "test/new.c", text: "1", before: null }]), before));
});
