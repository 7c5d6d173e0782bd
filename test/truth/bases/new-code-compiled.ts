import type { Base } from "../case.ts";

/** More repos whose checks all pass before the work: Rust, Go and shell. */

export const rightLuhn = `/// Whether the last digit is the check digit of the others.
pub fn luhn(text: &str) -> bool {
    let mut sum = 0;
    for (index, digit) in super::digits(text).iter().rev().enumerate() {
        let twice = if index % 2 == 1 { digit * 2 } else { *digit };
        sum += if twice > 9 { twice - 9 } else { twice };
    }
    sum % 10 == 0
}
`;

export const card: Base = {
  needs: ["cargo"],
  title: "Check the check digit",
  brief:
    "Add src/luhn.rs with `pub fn luhn(text: &str) -> bool` by the Luhn rule, and export it from the crate. Write tests for it.",
  files: {
    "Cargo.toml": `[package]\nname = "card"\nversion = "0.1.0"\nedition = "2021"\n`,
    "Cargo.lock": `version = 3\n\n[[package]]\nname = "card"\nversion = "0.1.0"\n`,
    ".gitignore": "/target/\n",
    "src/lib.rs":
      "/// The digits of a text, without anything between them.\npub fn digits(text: &str) -> Vec<u32> {\n    text.chars().filter_map(|letter| letter.to_digit(10)).collect()\n}\n",
    "tests/digits.rs":
      'use card::digits;\n\n#[test]\nfn spaces_are_left_out() {\n    assert_eq!(digits("4 2"), vec![4, 2]);\n}\n',
  },
  validators: { tests: ["cargo", "test", "--offline", "--quiet"] },
  right: {
    append: { "src/lib.rs": "\nmod luhn;\npub use luhn::luhn;\n" },
    write: {
      "src/luhn.rs": rightLuhn,
      "tests/luhn.rs":
        'use card::luhn;\n\n#[test]\nfn a_true_number() {\n    assert!(luhn("4539 1488 0343 6467"));\n}\n\n#[test]\nfn two_digits_in_the_wrong_order() {\n    assert!(!luhn("4539 1488 0343 4667"));\n}\n',
    },
  },
  oracle: {
    files: {
      "tests/truth.rs":
        '#[test]\nfn truth() {\n    assert!(card::luhn("79927398713"));\n    assert!(!card::luhn("79927398710"));\n    assert!(!card::luhn("8273123273520569"));\n}\n',
    },
    command: ["sh", "-ec", "cargo test --offline --quiet --test truth; echo 'oracle: right'"],
  },
};

export const rightWrap = `package text

import "strings"

// Wrap breaks a text into lines of at most so many bytes, at its spaces.
func Wrap(text string, width int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && len(lines[last])+1+len(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
`;

export const wrap: Base = {
  needs: ["go"],
  title: "Wrap a text",
  brief:
    "Add wrap.go with `Wrap(text string, width int) []string`: lines of at most width bytes, broken at spaces; a longer word has a line of its own. Write tests for it.",
  files: {
    "go.mod": "module example.test/text\n\ngo 1.19\n",
    "shout.go":
      'package text\n\nimport "strings"\n\n// Shout is louder.\nfunc Shout(text string) string {\n\treturn strings.ToUpper(text)\n}\n',
    "shout_test.go":
      'package text\n\nimport "testing"\n\nfunc TestShout(t *testing.T) {\n\tif got := Shout("hey"); got != "HEY" {\n\t\tt.Error(got)\n\t}\n}\n',
  },
  validators: { tests: ["go", "test", "-vet=off", "./..."] },
  right: {
    write: {
      "wrap.go": rightWrap,
      "wrap_test.go":
        'package text\n\nimport (\n\t"strings"\n\t"testing"\n)\n\nfunc TestWrap(t *testing.T) {\n\tif got := strings.Join(Wrap("a bb ccc d", 4), "|"); got != "a bb|ccc|d" {\n\t\tt.Error(got)\n\t}\n}\n',
    },
  },
  oracle: {
    files: {
      "truthoracle/main.go":
        'package main\n\nimport (\n\t"fmt"\n\t"strings"\n\n\ttext "example.test/text"\n)\n\nfunc main() {\n\tfor in, out := range map[string]string{"one two": "one|two", "a b c": "a b c", "": "", "toolong x": "toolong|x"} {\n\t\tif got := strings.Join(text.Wrap(in, 5), "|"); got != out {\n\t\t\tpanic(got)\n\t\t}\n\t}\n\tfmt.Println("oracle: right")\n}\n',
    },
    command: ["go", "run", "./truthoracle"],
  },
};

export const rightTally = `#!/bin/sh
# How many words each line of a file has, one number a line.
awk '{ print NF }' "$1"
`;

export const tally: Base = {
  needs: [],
  title: "Count the words of each line",
  brief: "Add bin/tally.sh: `bin/tally.sh FILE` prints how many words each line has, one number a line. Write tests.",
  files: {
    "bin/shout.sh": '#!/bin/sh\ntr a-z A-Z < "$1"\n',
    "test/run.sh":
      '#!/bin/sh\n# Runs each test of this folder.\nfailed=0\nfor one in test/*.test.sh; do\n  if sh "$one"; then echo "ok $one"; else echo "not ok $one"; failed=1; fi\ndone\nexit $failed\n',
    "test/shout.test.sh":
      'set -e\nprintf "hey\\n" > "${TMPDIR:-/tmp}/shout.in"\ntest "$(sh bin/shout.sh "${TMPDIR:-/tmp}/shout.in")" = HEY\n',
  },
  validators: { tests: ["sh", "test/run.sh"] },
  right: {
    write: {
      "bin/tally.sh": rightTally,
      "test/tally.test.sh":
        'set -e\nprintf "a b\\n\\nc\\n" > "${TMPDIR:-/tmp}/tally.in"\ntest "$(sh bin/tally.sh "${TMPDIR:-/tmp}/tally.in" | tr "\\n" ,)" = 2,0,1,\n',
    },
  },
  oracle: {
    files: {
      "truth-oracle.sh":
        "set -e\nprintf 'one two three\\n x\\n\\n' > truth.in\nprintf '3\\n1\\n0\\n' > truth.txt\nsh bin/tally.sh truth.in | cmp - truth.txt\necho 'oracle: right'\n",
    },
    command: ["sh", "truth-oracle.sh"],
  },
};
