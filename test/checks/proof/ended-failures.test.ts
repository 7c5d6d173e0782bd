import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withoutEndedFailures } from "../../../lib/checks/proof/ended-failures.ts";

const judged = (path: string, before: string, text: string, paths = [path]) =>
  withoutEndedFailures([{ path, before, text }], paths).get(path);

describe("a mark of a known failure that the work dropped", () => {
  const test = "def test_a():\n    assert half(2.6) == 3\n";
  const cases: readonly (readonly [string, string, string, string?])[] = [
    ["test_a.py", `@pytest.mark.xfail\n${test}`, test],
    ["test_a.py", `@mark.xfail(os == "nt", strict=True, reason="bug (12)")\r\n${test}`, test],
    ["test_a.py", `@pytest.mark.xfail(\n    strict=True,\n)\n${test}`, test],
    ["test_a.py", `class T:\n    @unittest.expectedFailure\n    ${test}`, `class T:\n    ${test}`],
    ["test_a.py", "pytest.param(1, 2, marks=pytest.mark.xfail(strict=True)),\n", "pytest.param(1, 2),\n"],
    ["a_spec.rb", 'it "a" do\n  pending "bug"\n  ok\nend\n', 'it "a" do\n  ok\nend\n'],
    ["a_spec.rb", 'it "a" do\n  pending("bug")\n  ok\nend\n', 'it "a" do\n  ok\nend\n'],
    ["a_spec.rb", 'it "a", pending: "bug" do\n', 'it "a" do\n'],
    ["a_spec.rb", 'pending "a" do\n  ok\nend\n', 'it "a" do\n  ok\nend\n'],
    ["a.test.ts", 'test.failing("a", () => {});\n', 'test("a", () => {});\n'],
    ["a.test.mjs", '  it.fails("a", () => {});\n', '  it("a", () => {});\n'],
  ];
  for (const [path, before, text, wanted = text] of cases)
    it(`is left out of ${JSON.stringify(before)}`, () => assert.equal(judged(path, before, text), wanted));

  it("is left out of the old text alone, whose assertions stay", () =>
    assert.equal(judged("test_a.py", `@pytest.mark.xfail\n${test}`, test.replace("3", "2")), test));
});

describe("a mark that stays", () => {
  const marked = "@pytest.mark.xfail(strict=True)\ndef test_a():\n    pass\n";
  it("where the present test has it too", () =>
    assert.equal(judged("test_a.py", marked, marked.replace("pass", "assert True")), undefined));
  it("where only one of two was dropped", () => {
    const other = marked.replace("test_a", "test_b");
    assert.equal(
      judged("test_a.py", marked + other, marked + other.slice(other.indexOf("def"))),
      marked + other.slice(other.indexOf("def")),
    );
  });
  it("where it says what has to be raised, which is what the test asks", () => {
    const raises = "@pytest.mark.xfail(strict=True, raises=PermissionError)\ndef test_a():\n    pass\n";
    assert.equal(judged("test_a.py", raises, raises.slice(raises.indexOf("def"))), undefined);
  });
  it("where the brief lets the test change, or the file is new", () => {
    const plain = marked.slice(marked.indexOf("def"));
    assert.equal(judged("test_a.py", marked, plain, []), undefined);
    assert.equal(withoutEndedFailures([{ path: "test_a.py", before: null, text: plain }], ["test_a.py"]).size, 0);
  });
  it("where it is a skip, a comment or another word", () => {
    for (const line of ["@pytest.mark.skip", "# @pytest.mark.xfail", "@xfailing"])
      assert.equal(judged("test_a.py", `${line}\ndef test_a(): pass\n`, "def test_a(): pass\n"), undefined, line);
    assert.equal(judged("a.test.js", 'test.skip("a");\n', 'test("a");\n'), undefined);
  });
});
