import { indent, type Language, type WeakWork, weakCases } from "./weak-work.ts";

const rust: Language = {
  name: "rs",
  needs: ["cargo"],
  check: ["cargo", "test", "--offline", "--quiet"],
  files: {
    "Cargo.toml": '[package]\nname = "parts"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "parts"\nversion = "0.1.0"\n',
  },
  source: () => "src/lib.rs",
  code: ({ head }, body) => `${head} {\n${indent(body, "    ")}\n}\n`,
  test: (name, work) => [
    `tests/${name.replaceAll("-", "_")}.rs`,
    `use parts::${defined(work)};\n\n#[test]\nfn it() {\n${indent(work.test, "    ")}\n}\n`,
  ],
  truth: (_name, work) =>
    `#[path = "../src/lib.rs"]\nmod work;\nuse work::${defined(work)};\n\nfn main() {\n${indent(work.truth, "    ")}\n    println!("oracle: right");\n}\n`,
  truthFile: "truth.rs",
  judge: (folder) => [
    "sh",
    "-c",
    `rustc --edition 2021 -C debug-assertions -A warnings -o "$TMPDIR/truth" ${folder}/truth.rs && "$TMPDIR/truth"`,
  ],
};

function defined({ head }: WeakWork): string {
  return /pub fn (\w+)/.exec(head)?.[1] ?? "";
}

export const weakRust = weakCases(rust, {
  "mean-of-the-largest": {
    brief: "`mean(a, b)` is the whole number in the middle of two, rounded down, for all that the type can hold.",
    head: "pub fn mean(a: u32, b: u32) -> u32",
    before: "a.max(b)",
    weak: "(a + b) / 2",
    right: "((u64::from(a) + u64::from(b)) / 2) as u32",
    test: "assert_eq!(mean(2, 4), 3);\nassert_eq!(mean(0, 5), 2);",
    truth: "assert_eq!(mean(u32::MAX, u32::MAX), u32::MAX);\nassert_eq!(mean(u32::MAX, 1), 2147483648);",
  },
  "initial-of-any-letter": {
    brief: "`initial(name)` is the first letter of a name in capitals; of no name it is nothing.",
    head: "pub fn initial(name: &str) -> String",
    before: "name.to_string()",
    weak: "if name.is_empty() {\n    String::new()\n} else {\n    name[..1].to_uppercase()\n}",
    right: "name.chars().take(1).flat_map(char::to_uppercase).collect()",
    test: 'assert_eq!(initial("ada"), "A");\nassert_eq!(initial(""), "");',
    truth: 'assert_eq!(initial("émile"), "É");\nassert_eq!(initial("ada"), "A");',
  },
  "pages-that-are-full": {
    brief: "`pages(items, size)` is how many pages of a size so many items fill.",
    head: "pub fn pages(items: usize, size: usize) -> usize",
    before: "items.min(size)",
    weak: "items / size + 1",
    right: "(items + size - 1) / size",
    test: "assert_eq!(pages(10, 3), 4);\nassert_eq!(pages(2, 5), 1);",
    truth: "assert_eq!(pages(9, 3), 3);\nassert_eq!(pages(0, 3), 0);",
  },
  "ratio-of-nothing": {
    brief: "`percent(part, whole)` is how many percent a part is, rounded down; of nothing it is None.",
    head: "pub fn percent(part: u64, whole: u64) -> Option<u64>",
    before: "Some(part + whole)",
    weak: "Some(part * 100 / whole)",
    right: "(part * 100).checked_div(whole)",
    test: "assert_eq!(percent(1, 4), Some(25));\nassert_eq!(percent(2, 3), Some(66));",
    truth: "assert_eq!(percent(1, 0), None);\nassert_eq!(percent(0, 5), Some(0));",
  },
  "sum-of-what-is-a-number": {
    brief: "`sum(text)` adds the numbers between commas; a part that is no number is an error that names it.",
    head: "pub fn sum(text: &str) -> Result<i64, String>",
    before: "Err(text.to_string())",
    weak: "Ok(text.split(',').map(|part| part.trim().parse::<i64>().unwrap_or(0)).sum())",
    right: "text.split(',').map(|part| part.trim().parse::<i64>().map_err(|_| part.trim().to_string())).sum()",
    test: 'assert_eq!(sum("1,2, 3"), Ok(6));\nassert_eq!(sum("-4"), Ok(-4));',
    truth: 'assert_eq!(sum("1,x"), Err("x".to_string()));\nassert_eq!(sum("5,5"), Ok(10));',
  },
  "days-before-the-first": {
    brief:
      "`weekday(day)` is the day of the week from 0 to 6 of a day number; day 0 is 0, and days before it are negative.",
    head: "pub fn weekday(day: i64) -> i64",
    before: "day",
    weak: "day % 7",
    right: "day.rem_euclid(7)",
    test: "assert_eq!(weekday(0), 0);\nassert_eq!(weekday(15), 1);",
    truth: "assert_eq!(weekday(-1), 6);\nassert_eq!(weekday(-7), 0);",
  },
  "each-one-once": {
    brief: "`once(items)` has each item once, in the order in which they come first.",
    head: "pub fn once(items: &[u32]) -> Vec<u32>",
    before: "items.to_vec()",
    weak: "let mut found = items.to_vec();\nfound.dedup();\nfound",
    right:
      "let mut found = Vec::new();\nfor item in items {\n    if !found.contains(item) {\n        found.push(*item);\n    }\n}\nfound",
    test: "assert_eq!(once(&[3, 3, 1]), vec![3, 1]);\nassert_eq!(once(&[]), Vec::<u32>::new());",
    truth: "assert_eq!(once(&[3, 1, 3]), vec![3, 1]);",
  },
  "price-that-is-not-below-nothing": {
    brief: "`after(price, voucher)` is what is left to pay; a voucher of more than the price leaves nothing.",
    head: "pub fn after(price: u32, voucher: u32) -> u32",
    before: "price",
    weak: "price - voucher",
    right: "price.saturating_sub(voucher)",
    test: "assert_eq!(after(100, 30), 70);\nassert_eq!(after(5, 5), 0);",
    truth: "assert_eq!(after(10, 30), 0);\nassert_eq!(after(30, 10), 20);",
  },
  "cells-that-are-empty": {
    brief: "`cells(line)` is the cells of a line, which tabs part; a cell may be empty.",
    head: "pub fn cells(line: &str) -> Vec<String>",
    before: "vec![line.to_string()]",
    weak: "line.split_whitespace().map(str::to_string).collect()",
    right: "line.split('\\t').map(str::to_string).collect()",
    test: 'assert_eq!(cells("a\\tb"), vec!["a", "b"]);',
    truth: 'assert_eq!(cells("a\\t\\tb c"), vec!["a", "", "b c"]);',
  },
  "letters-that-read-both-ways": {
    brief:
      "`mirrored(text)` says whether the letters read the same both ways, whatever their case and what is between them.",
    head: "pub fn mirrored(text: &str) -> bool",
    before: "text.is_empty()",
    weak: "text.chars().eq(text.chars().rev())",
    right:
      "let letters: Vec<char> = text.chars().filter(|one| one.is_alphabetic()).flat_map(char::to_lowercase).collect();\nletters.iter().eq(letters.iter().rev())",
    test: 'assert!(mirrored("level"));\nassert!(!mirrored("levels"));',
    truth: 'assert!(mirrored("Never odd or even"));\nassert!(!mirrored("Never evens"));',
  },
});
