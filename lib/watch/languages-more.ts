import { all, any, type Language, raw } from "./language.ts";
import { families } from "./source-families.ts";

/** PHP, Elixir, Swift, C, Dart and the shell. */
export const moreLanguages: readonly Language[] = [
  {
    name: "PHP",
    files: /\.(?:php|phpt)$/,
    testFiles: /(?:Test|Cest|Cept|Spec)\.php$|\.phpt$/,
    family: families.php,
    tests: all(raw`\bfunction\s+test\w*\s*\(`, raw`#\[\s*Test\b`, raw`(?<![\w>$:])(?:it|test)\s*\(\s*"`),
    skips: any(
      raw`\bmarkTest(?:Skipped|Incomplete)\b`,
      raw`->\s*(?:skip|todo|only)\w*\s*\(`,
      raw`\b(?:exit|die)\s*(?:\(\s*0?\s*\))?\s*;`,
      raw`#\[\s*Requires\w*`,
    ),
    asserts: all(
      raw`(?<![\w$])assert\w*\s*\(`,
      raw`(?<![\w$])expect\w*\s*\(`,
      raw`->\s*should\w*\s*\(`,
      raw`(?:->|::)\s*fail\s*\(`,
    ),
  },
  {
    name: "Elixir",
    files: /\.exs?$/,
    testFiles: /_test\.exs?$/,
    family: families.elixir,
    tests: all(raw`^\s*(?:test|property|feature)\s*\(?\s*"`, raw`^\s*doctest\b`),
    skips: any(
      raw`@(?:module|describe)?tag\s*\(?\s*:?(?:skip|pending|ignore)\b`,
      raw`\bskip\s*:`,
      raw`\bSystem\.halt\s*\(\s*0?`,
    ),
    asserts: all(raw`(?<![\w.:])(?:assert|refute)\w*\b`, raw`(?<![\w.:])flunk\b`, raw`(?<![\w.:])check\s+all\b`),
    indented: true,
  },
  {
    name: "Swift",
    files: /\.swift$/,
    testFiles: /(?:Tests?|Spec)\.swift$/,
    family: families.swift,
    tests: all(raw`\bfunc\s+test\w*\s*\(`, raw`@Test\b`),
    skips: any(
      raw`\bXCTSkip\w*`,
      raw`\.disabled\b|\.enabled\s*\(\s*if\b`,
      raw`(?<![\w.])x(?:it|describe|context)\s*\(`,
      raw`(?<![\w.])exit\s*\(\s*0`,
    ),
    asserts: all(
      raw`\bXCT(?:Assert|Unwrap|Fail|Expect)\w*\s*\(`,
      raw`#(?:expect|require)\b`,
      raw`(?<![\w.])expect\w*\s*\(`,
      raw`\bIssue\.record\b`,
    ),
  },
  {
    name: "C and C++",
    files: /\.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm)$/,
    testFiles: /(?:[_.-](?:test|tests|unittest|spec)|Tests?)\.(?:c|cc|cpp|cxx|m|mm)$|^test_.*\.(?:c|cc|cpp|cxx)$/,
    family: families.go,
    tests: all(
      raw`\b(?:TYPED_)?TEST(?:_[A-Z]+)?\s*\(`,
      raw`\b(?:SCENARIO|SECTION|BOOST_AUTO_TEST_CASE|START_TEST)\s*\(`,
      raw`^\s*(?:static\s+)?void\s+test_\w+\s*\(`,
    ),
    skips: any(
      raw`\bGTEST_SKIP\b|\bDISABLED_\w+`,
      raw`\bTEST_IGNORE\w*|\bSKIP\s*\(`,
      raw`(?<![\w.])exit\s*\(\s*(?:0|EXIT_SUCCESS)\s*\)`,
    ),
    asserts: all(
      raw`\b(?:ASSERT|EXPECT|CHECK|REQUIRE|BOOST_(?:CHECK|REQUIRE|TEST)|TEST_ASSERT|ck_assert|cr_assert|CU_ASSERT)\w*\s*\(`,
      raw`(?<![\w.])(?:static_)?assert\w*\s*\(`,
    ),
  },
  {
    name: "Dart",
    files: /\.dart$/,
    testFiles: /_test\.dart$/,
    family: families.dart,
    tests: all(raw`(?<![\w.])(?:test|testWidgets|blocTest)\s*(?:<[^>]*>)?\s*\(`),
    skips: any(
      raw`\bskip\s*:\s*(?!false\b|null\b)`,
      raw`@Skip\b`,
      raw`\bmarkTestSkipped\b`,
      raw`\bsolo\s*:\s*true`,
      raw`(?<![\w.])exit\s*\(\s*0`,
    ),
    asserts: all(raw`(?<![\w.])(?:expect|verify|assert)\w*\s*\(`, raw`(?<![\w.])fail\s*\(`),
  },
  {
    name: "shell",
    files: /\.(?:bats|sh|bash|zsh)$/,
    testFiles: /\.bats$|(?:[._-]test|^test[._-].*)\.(?:sh|bash)$/,
    family: families.shell,
    tests: all(raw`^\s*@test\b`, raw`^\s*(?:function\s+)?test\w*\s*\(\)`),
    skips: any(raw`^\s*skip\b`, raw`(?:^|[;&|]|\bthen\b)\s*exit\s+0\b|(?:^|[;&|])\s*exit\s*$`, raw`^\s*(?:true|:)\s*$`),
    asserts: all(
      raw`(?:^|[;&|!]|\bif\b)\s*\[{1,2}\s`,
      raw`(?:^|[;&|])\s*(?:assert|refute)\w*\b`,
      raw`(?:^|[;&|])\s*(?:test|diff|cmp|grep|fail)\s`,
      raw`\bexit\s+[1-9]`,
    ),
    failures: /\bexit\s+[1-9]/,
    indented: true,
  },
];
