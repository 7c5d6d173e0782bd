import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { quoteWord, splitShellWords } from "../../lib/text/shell-words.ts";

const words = (line: string): string[] => {
  const split = splitShellWords(line);
  assert.equal(split.kind, "words", JSON.stringify(split));
  return split.kind === "words" ? split.words : [];
};

describe("splitShellWords", () => {
  it("splits at blanks and obeys the three kinds of quotes", () => {
    assert.deepEqual(words(` npm  test -- 'a b' "c \\"d\\" \\e" f\\ g h'i'"j"\t`), [
      "npm",
      "test",
      "--",
      "a b",
      'c "d" \\e',
      "f g",
      "hij",
    ]);
  });

  it("keeps empty words that are quoted, and gives none for blanks", () => {
    assert.deepEqual(words(`'' "" x`), ["", "", "x"]);
    assert.deepEqual(words("  \t "), []);
  });

  it("joins a line that a backslash goes on with", () => assert.deepEqual(words('a\\\nb "c\\\nd"'), ["ab", "cd"]));

  it("expands nothing", () =>
    assert.deepEqual(words("'*.js' \\~ a#x~ {a,b} '$HOME' '`x`' \\$y a=b"), [
      "*.js",
      "~",
      "a#x~",
      "{a,b}",
      "$HOME",
      "`x`",
      "$y",
      "a=b",
    ]));

  for (const character of ["|", "&", ";", "<", ">", "(", ")", "$", "`", "\n", "\r", "*", "?", "[a]", "~/x", "#x"]) {
    it(`refuses an unquoted ${JSON.stringify(character)} at its column, since no shell is used`, () => {
      const split = splitShellWords(`npm test ${character} x`);
      assert.ok(split.kind === "bad" && split.column === 10 && split.problem.includes("no shell is used"));
    });
  }

  it("refuses what a shell would expand in double quotes", () => {
    assert.deepEqual(splitShellWords('echo "a $b"'), {
      kind: "bad",
      column: 9,
      problem:
        "`$` means something to a shell, and no shell is used: put it in single quotes, or put the line into a script",
    });
  });

  it("names the place of a quote that is never closed, and a backslash at the end", () => {
    assert.deepEqual(
      ["a 'b", 'a "b', "a\\"].map((line) => splitShellWords(line)),
      [
        { kind: "bad", column: 3, problem: "the single quote is never closed" },
        { kind: "bad", column: 3, problem: "the double quote is never closed" },
        { kind: "bad", column: 2, problem: "it ends with a backslash" },
      ],
    );
  });

  it("gives back any words that are put in single quotes", () => {
    const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (list) => {
        assert.deepEqual(words(list.map(quote).join(" ")), list);
      }),
    );
  });
});

describe("quoteWord", () => {
  it("a word gets quotes only where a shell would read it otherwise", () => {
    assert.deepEqual(["test", "--grep=a/b.c", "a b", "it's", "", "$HOME", "a\nb"].map(quoteWord), [
      "test",
      "--grep=a/b.c",
      "'a b'",
      "'it'\\''s'",
      "''",
      "'$HOME'",
      "'a\nb'",
    ]);
  });

  it("quoted words are split into the same words again", () => {
    const words = ["npm", "run", "a b", "it's", "", '$HOME `x` "y"', "é", "-"];
    assert.deepEqual(splitShellWords(words.map(quoteWord).join(" ")), { kind: "words", words });
  });
});
