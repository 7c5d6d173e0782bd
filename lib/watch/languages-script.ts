import { all, any, type Language, raw } from "./language.ts";
import { families } from "./source-families.ts";

/** JavaScript, Python and Go. */
export const scriptLanguages: readonly Language[] = [
  {
    name: "JavaScript",
    files: /\.(?:[cm]?[jt]sx?|vue|svelte)$/,
    testFiles: /(?:[.\-_](?:test|tests|spec|specs|e2e|cy)|^(?:test|tests|spec))\.[cm]?[jt]sx?$/,
    family: families.script,
    tests: all(
      raw`(?<![\w$.])(?:it|test|specify|xit|xtest|xspecify|fit|property)(?:\s*\.\s*\w+)*\s*[(\x60"]`,
      raw`\b(?:t|tap|Deno|QUnit|bun|vitest)\.test(?:\.\w+)*\s*\(`,
    ),
    skips: any(
      raw`(?<![\w$])(?:it|test|describe|suite|context|specify|t|tap|ctx|this|bench|QUnit|Deno|feature|scenario)(?:\s*\.\s*\w+)*\s*\.\s*(?:skip|todo|only|fixme|fails|failing|skipIf|runIf|todoIf)\b`,
      raw`(?<![\w$.])x(?:it|test|describe|context|specify|scenario)\s*[(.]`,
      raw`(?<![\w$.])f(?:it|describe|context)\s*\(`,
      raw`(?<![\w$.])["']?(?:skip|todo|only)["']?\s*:\s*(?!false\b|undefined\b|null\b)`,
      raw`[{,]\s*(?:skip|todo|only)\s*(?=[,}])`,
      raw`(?<![\w$.])(?:it|test)\s*\(\s*"\u0001*"\s*\)`,
      raw`(?<![\w$.])pending\s*\(`,
      raw`\bprocess\.exit\s*\(\s*0?\s*\)`,
    ),
    asserts: all(
      raw`(?<![\w$])(?:assert|expect)\w*(?:\s*\.\s*\w+)*\s*[(<\x60]`,
      raw`\.should\b|(?<![\w$.])should\s*[.(]`,
      raw`\bt\s*\.\s*(?:is|isNot|not|deepEqual|notDeepEqual|like|throws|throwsAsync|notThrows|notThrowsAsync|true|false|truthy|falsy|regex|notRegex|snapshot|pass|fail|equal|equals|notEqual|ok|notOk|same|notSame|strictSame|strictEqual|match|rejects|resolves|plan)\s*\(`,
      raw`(?<![\w$.])(?:ok|equal|notEqual|strictEqual|notStrictEqual|deepEqual|deepStrictEqual|notDeepEqual|notDeepStrictEqual|throws|doesNotThrow|rejects|doesNotReject)\s*\(`,
      raw`\bthrow\s+new\b`,
      raw`\bprocess\.(?:exit\s*\(\s*[^\s0)]|exitCode\s*=)`,
    ),
    failures: /\bthrow\s+new\b|\bprocess\.exit|(?<![\w$])(?:assert|t)\.fail\b/,
    tables: /\.\s*each\s*(?=[(\u0022])/g,
  },
  {
    name: "Python",
    files: /\.py$/,
    testFiles: /^(?:test_.*|.*_test|tests?|conftest)\.py$/,
    family: families.python,
    tests: all(raw`^[ \t]*(?:async\s+)?def\s+test\w*\s*\(`),
    skips: any(
      raw`\bmark\.(?:skip\w*|xfail)\b`,
      raw`@(?:unittest\.)?(?:skip\w*|expectedFailure|xfail)\b`,
      raw`\bpytest\.(?:skip|xfail|importorskip|exit)\s*\(`,
      raw`\bskipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest\b`,
      raw`\bpytestmark\s*=|\bcollect_ignore\w*\s*=|\b__test__\s*=\s*False`,
      raw`\b(?:sys\.exit|os\._exit|quit|exit)\s*\(\s*0?\s*\)`,
    ),
    asserts: all(
      raw`(?<![\w.])assert\b(?!\s*[,)=])`,
      raw`\b[aA]ssert\w+\s*\(`,
      raw`\bself\.fail\w*\s*\(`,
      raw`\bpytest\.(?:raises|warns|fail|deprecated_call)\s*\(`,
      raw`\bsys\.exit\s*\(\s*[^\s0)]`,
      raw`\braise\s+AssertionError\b`,
    ),
    failures: /\bself\.fail\b|\bpytest\.fail\b|\bsys\.exit\b|\braise\s+AssertionError\b/,
    tables: /\bparametrize\s*(?=\()/g,
    indented: true,
  },
  {
    name: "Go",
    files: /\.go$/,
    testFiles: /_test\.go$/,
    family: families.go,
    tests: all(raw`^func\s+(?:\([^)]*\)\s*)?(?:Test|Fuzz|Example|Benchmark)\w*\s*\(`, raw`\bt\.Run\s*\(`),
    skips: any(
      raw`\b\w+\.(?:Skip|Skipf|SkipNow)\s*\(`,
      raw`\bos\.Exit\s*\(\s*0\s*\)`,
      raw`\b(?:F|X|P)(?:It|Describe|Context)\s*\(`,
    ),
    asserts: all(
      raw`\b\w+\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(`,
      raw`\b(?:assert|require|is|qt|must|check)\.\w+\s*\(`,
      raw`\b(?:assert|require|must|expect|check)[A-Z]\w*\s*\(`,
      raw`\b(?:Expect|Eventually|Consistently|So|Ω)\s*\(`,
      raw`^\s*panic\s*\(`,
    ),
    failures: /\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\bpanic\s*\(/,
    tables: /(?:\[\]|\bmap\[\w+\])\s*(?:struct(?=\s*\{)|\*?(?:\w*[cC]ases?|[tT]est\w*)(?=\{))/g,
  },
];
