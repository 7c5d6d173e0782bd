import type { Base } from "../case.ts";

const rustSource = `/// One field of a line of CSV.
pub fn field(text: &str) -> String {
    text.to_string()
}
`;

export const rightField = `/// One field of a line of CSV.
pub fn field(text: &str) -> String {
    if text.contains(['"', ',', '\\n', '\\r']) {
        format!("\\"{}\\"", text.replace('"', "\\"\\""))
    } else {
        text.to_string()
    }
}
`;

const rustTests = `use csvline::field;

#[test]
fn plain_text_stays() {
    assert_eq!(field("abc"), "abc");
}

#[test]
fn a_comma_is_quoted() {
    assert_eq!(field("a,b"), "\\"a,b\\"");
}

#[test]
fn a_quote_is_doubled() {
    assert_eq!(field("say \\"hi\\""), "\\"say \\"\\"hi\\"\\"\\"");
}
`;

const rustOracle = `#[path = "src/lib.rs"]
mod work;

fn main() {
    assert_eq!(work::field("plain"), "plain");
    assert_eq!(work::field("x\\ny"), "\\"x\\ny\\"");
    assert_eq!(work::field("1,\\"2\\""), "\\"1,\\"\\"2\\"\\"\\"");
    println!("oracle: right");
}
`;

export const cargo: Base = {
  needs: ["cargo"],
  title: "Quote fields of CSV",
  brief: "`field` of src/lib.rs quotes a text with a comma, a quote or a line break, and doubles quotes in it.",
  files: {
    "Cargo.toml": `[package]\nname = "csvline"\nversion = "0.1.0"\nedition = "2021"\n`,
    "Cargo.lock": `version = 3\n\n[[package]]\nname = "csvline"\nversion = "0.1.0"\n`,
    ".gitignore": "/target/\n",
    "src/lib.rs": rustSource,
    "tests/field.rs": rustTests,
  },
  validators: { tests: ["cargo", "test", "--offline", "--quiet"] },
  right: { write: { "src/lib.rs": rightField } },
  oracle: {
    files: { "truth_oracle.rs": rustOracle },
    command: ["sh", "-c", "rustc --edition 2021 -A dead_code -o truth_oracle truth_oracle.rs && ./truth_oracle"],
  },
};

const goSource = `package roman

// Of writes a number as a Roman numeral.
func Of(number int) string {
	digits := ""
	for ; number > 0; number-- {
		digits += "I"
	}
	return digits
}
`;

export const rightRoman = `package roman

import "strings"

var values = []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
var letters = []string{"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"}

// Of writes a number as a Roman numeral.
func Of(number int) string {
	var digits strings.Builder
	for index, value := range values {
		for ; number >= value; number -= value {
			digits.WriteString(letters[index])
		}
	}
	return digits.String()
}
`;

const goTest = (name: string, number: number, numeral: string) =>
  `func Test${name}(t *testing.T) {\n\tif got := Of(${number}); got != "${numeral}" {\n\t\tt.Errorf("Of(${number}) = %q", got)\n\t}\n}\n`;

export const goTests = `package roman

import "testing"

${goTest("Three", 3, "III")}
${goTest("Four", 4, "IV")}
${goTest("Year", 1994, "MCMXCIV")}`;

const goOracle = `package main

import (
	"fmt"

	"example.test/roman"
)

func main() {
	for number, numeral := range map[int]string{2: "II", 9: "IX", 2026: "MMXXVI", 444: "CDXLIV"} {
		if got := roman.Of(number); got != numeral {
			panic(got)
		}
	}
	fmt.Println("oracle: right")
}
`;

export const go: Base = {
  needs: ["go"],
  title: "Write any number as a Roman numeral",
  brief: "`Of` of roman.go writes every number from 1 to 3999, not only the ones up to 3.",
  files: {
    "go.mod": "module example.test/roman\n\ngo 1.19\n",
    ".gitignore": "/bin/\n",
    "roman.go": goSource,
    "roman_test.go": goTests,
  },
  validators: { tests: ["go", "test", "-vet=off", "./..."] },
  right: { write: { "roman.go": rightRoman } },
  oracle: { files: { "truthoracle/main.go": goOracle }, command: ["go", "run", "./truthoracle"] },
};
