import { all, any, type Language, raw } from "./language.ts";
import { families } from "./source-families.ts";

/** Java, Kotlin, Ruby, Rust and C#. */
export const typedLanguages: readonly Language[] = [
  {
    name: "Java and Kotlin",
    files: /\.(?:java|kt|kts|groovy|scala)$/,
    testFiles: /(?:Tests?|IT|Spec|TestCase)\.(?:java|kt|kts|groovy|scala)$|^Test\w*\.java$/,
    family: families.java,
    tests: all(
      raw`@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b`,
      raw`(?<![\w.])(?:test|it|should|feature|scenario|expect)\s*\(\s*"`,
      raw`\bdef\s+"`,
    ),
    skips: any(
      raw`@(?:Ignore|Disabled\w*|EnabledIf\w*|PendingFeature)\b`,
      raw`\b(?:assume\w*|Assumptions?)\s*[.(]`,
      raw`(?<![\w.])x(?:it|test|describe|context)\s*\(`,
      raw`\benabled\s*=\s*false`,
      raw`\b(?:exitProcess|System\.exit)\s*\(\s*0\s*\)`,
      raw`\bignore\s*\(\s*"`,
    ),
    asserts: all(
      raw`\b(?:assert|verify|expect|check|require)\w*\s*[({<]`,
      raw`(?<![\w.])assert\s`,
      raw`\b(?:should|must)\w*\b(?!\s*\(\s*")`,
      raw`(?<![\w.])fail\s*\(`,
      raw`@Test\s*\(\s*(?:expected|timeout)\b`,
      raw`\bisEqualTo\s*\(`,
    ),
    tables: /@(?:CsvSource|ValueSource)\s*(?=\()/g,
  },
  {
    name: "Ruby",
    files: /\.rb$|^Rakefile$/,
    testFiles: /_(?:spec|test)\.rb$|^(?:test|spec)_\w+\.rb$/,
    family: families.ruby,
    tests: all(
      raw`(?<![\w.:@])(?:x|f)?(?:it|specify|scenario|test|example|its)\s*[("{]`,
      raw`(?<![\w.:@])it\s+do\b`,
      raw`\bdef\s+test_\w+`,
    ),
    skips: any(
      raw`(?<![\w.:@])x(?:it|describe|context|specify|scenario|feature|example)\b`,
      raw`(?<![\w.:@])f(?:it|describe|context|specify|scenario|feature|example)\b`,
      raw`(?<![\w.])(?:skip|pending|omit)\b`,
      raw`:(?:skip|pending|focus)\b`,
      raw`\b(?:skip|pending|focus)\s*:`,
      raw`^\s*(?:exit!?|abort)\b|\bexit!?\s*\(?\s*0`,
    ),
    asserts: all(
      raw`(?<![\w.:])(?:assert|refute)\w*\b`,
      raw`(?<![\w:])(?:expect|is_expected|flunk)\b`,
      raw`\.(?:should|should_not|must_\w+|wont_\w+)\b`,
    ),
    indented: true,
  },
  {
    name: "Rust",
    files: /\.rs$/,
    testFiles: /(?:^|_)tests?\.rs$/,
    family: families.rust,
    tests: all(
      raw`#\[\s*(?:\w+\s*::\s*)*test\b`,
      raw`#\[\s*(?:rstest|quickcheck|test_case|wasm_bindgen_test)\b`,
      raw`\bproptest!`,
    ),
    skips: any(
      raw`#\[\s*ignore\b`,
      raw`#!?\[\s*cfg(?:_attr)?\s*\(\s*(?!test\b|all\s*\(\s*test\b|target|unix|windows|feature)`,
      raw`\bprocess::exit\s*\(\s*0`,
    ),
    asserts: all(
      raw`\b(?:\w+::)?(?:debug_|prop_)?assert\w*!`,
      raw`\b(?:panic|unreachable|insta::\w+)!`,
      raw`#\[\s*should_panic\b`,
      raw`#\[\s*(?:case|test_case)\b`,
      raw`(?<![\w.])(?:assert|expect|check)_\w+\s*\(`,
    ),
    failures: /\bpanic!/,
  },
  {
    name: "C#",
    files: /\.(?:cs|fs|vb)$/,
    testFiles: /(?:Tests?|Specs?|Fixture)\.(?:cs|fs|vb)$/,
    family: families.sharp,
    tests: all(raw`\[\s*(?:\w+\s*,\s*)*(?:Test|TestCase|TestMethod|DataTestMethod|Fact|Theory|Property)\b`),
    skips: any(
      raw`\[\s*(?:\w+\s*,\s*)*(?:Ignore|Explicit)\b`,
      raw`\b(?:Skip|Ignore|Explicit)\s*=`,
      raw`\bAssert\.(?:Ignore|Inconclusive|Skip\w*)\b|\bSkip\.(?:If|When)\b`,
      raw`\bEnvironment\.Exit\s*\(\s*0`,
    ),
    asserts: all(
      raw`\b\w*Assert\w*\.\w+\s*[(<]`,
      raw`\bAssert\w+\s*\(`,
      raw`\.(?:Should\w*|Verify\w*|Must\w*)\s*\(`,
      raw`\[\s*(?:InlineData|TestCase|DataRow|ExpectedException)\b`,
    ),
  },
];
