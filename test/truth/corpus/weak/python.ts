import { indent, type Language, type WeakWork, weakCases } from "./weak-work.ts";

const python: Language = {
  name: "py",
  needs: ["python3"],
  check: ["python3", "-m", "unittest", "discover", "-s", "tests", "-t", "."],
  files: { "parts/__init__.py": "", "tests/__init__.py": "" },
  source: (name) => `parts/${underscored(name)}.py`,
  code: ({ head }, body) => `${head}:\n${indent(body, "    ")}\n`,
  test: (name, work) => [
    `tests/test_${underscored(name)}.py`,
    `import unittest\n\nfrom parts.${underscored(name)} import ${defined(work)}\n\n\nclass PartTest(unittest.TestCase):\n    def test_it(self):\n${indent(work.test, "        ")}\n`,
  ],
  truth: (name, work) =>
    `import sys\n\nsys.path.insert(0, ".")\nfrom parts.${underscored(name)} import ${defined(work)}\n\n${work.truth}\nprint("oracle: right")\n`,
  truthFile: "truth.py",
  judge: (folder) => ["python3", `${folder}/truth.py`],
};

function underscored(name: string): string {
  return name.replaceAll("-", "_");
}

function defined({ head }: WeakWork): string {
  return /def (\w+)/.exec(head)?.[1] ?? "";
}

const refused = (call: string, error: string) =>
  `try:\n    ${call}\nexcept ${error}:\n    pass\nelse:\n    raise AssertionError("it was taken")`;

export const weakPython = weakCases(python, {
  "basket-of-its-own": {
    brief: "`add(item, basket=None)` is the basket with the item at its end; without a basket it begins a new one.",
    head: "def add(item, basket=[])",
    before: "return basket",
    weak: "basket.append(item)\nreturn basket",
    right: "basket = list(basket)\nbasket.append(item)\nreturn basket",
    test: 'self.assertEqual(add("b", ["a"]), ["a", "b"])\nself.assertEqual(add("tea"), ["tea"])',
    truth: 'assert add("x") == ["x"]\nassert add("y") == ["y"]',
  },
  "leap-years": {
    brief: "`is_leap(year)` says whether a year of the Gregorian calendar has a 29th of February.",
    head: "def is_leap(year)",
    before: "return False",
    weak: "return year % 4 == 0",
    right: "return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)",
    test: "self.assertTrue(is_leap(2024))\nself.assertFalse(is_leap(2023))",
    truth: "assert not is_leap(1900)\nassert is_leap(2000)\nassert is_leap(1996)",
  },
  "half-a-cent-up": {
    brief: "`to_cents(tenths)` is an amount in tenths of a cent as whole cents; half a cent is rounded up.",
    head: "def to_cents(tenths)",
    before: "return tenths",
    weak: "return round(tenths / 10)",
    right: "return (tenths + 5) // 10",
    test: "self.assertEqual(to_cents(24), 2)\nself.assertEqual(to_cents(36), 4)",
    truth: "assert to_cents(25) == 3\nassert to_cents(35) == 4\nassert to_cents(45) == 5",
  },
  "mean-of-anything": {
    brief: "`mean(numbers)` is the mean of any iterable of numbers, also of one that can be read only once.",
    head: "def mean(numbers)",
    before: "return 0",
    weak: "return sum(numbers) / max(1, sum(1 for _ in numbers))",
    right: "numbers = list(numbers)\nreturn sum(numbers) / max(1, len(numbers))",
    test: "self.assertEqual(mean([1, 2, 3]), 2)\nself.assertEqual(mean([]), 0)",
    truth: "assert mean(one for one in (2, 4)) == 3",
  },
  "digits-alone": {
    brief: "`to_number(text)` is the number of a text of digits; any other text is a ValueError.",
    head: "def to_number(text)",
    before: "return text",
    weak: "return int(text)",
    right: "if not text.isascii() or not text.isdigit():\n    raise ValueError(text)\nreturn int(text)",
    test: 'self.assertEqual(to_number("42"), 42)\nwith self.assertRaises(ValueError):\n    to_number("x")',
    truth: `assert to_number("007") == 7\n${refused('to_number("1_0")', "ValueError")}\n${refused('to_number(" 7")', "ValueError")}\n${refused('to_number("-7")', "ValueError")}`,
  },
  "mark-at-the-beginning": {
    brief: "`decode(raw)` is the text of bytes of UTF-8, without the byte-order mark that some programs begin with.",
    head: "def decode(raw)",
    before: "return raw",
    weak: 'return raw.decode("utf-8")',
    right: 'return raw.decode("utf-8-sig")',
    test: 'self.assertEqual(decode("größer".encode("utf-8")), "größer")',
    truth: 'assert decode(b"\\xef\\xbb\\xbfname") == "name"\nassert decode(b"name") == "name"',
  },
  "last-error-of-all": {
    brief: "`retry(call, times)` calls until it succeeds, at most so many times; then it raises the last error.",
    head: "def retry(call, times)",
    before: "return None",
    weak: "for _ in range(times):\n    try:\n        return call()\n    except Exception:\n        continue\nreturn None",
    right:
      "for turn in range(times):\n    try:\n        return call()\n    except Exception:\n        if turn == times - 1:\n            raise",
    test: 'answers = iter([ValueError(), "yes"])\n\ndef call():\n    one = next(answers)\n    if isinstance(one, Exception):\n        raise one\n    return one\n\nself.assertEqual(retry(call, 3), "yes")',
    truth: `def fail():\n    raise KeyError("gone")\n\n\n${refused("retry(fail, 2)", "KeyError")}`,
  },
  "copy-to-the-bottom": {
    brief: "`with_theme(settings, name)` is a copy of the settings with that theme; the given ones stay as they are.",
    head: "def with_theme(settings, name)",
    before: "return settings",
    weak: 'changed = dict(settings)\nchanged["view"]["theme"] = name\nreturn changed',
    right: 'return {**settings, "view": {**settings["view"], "theme": name}}',
    test: 'self.assertEqual(with_theme({"view": {"theme": "light", "size": 2}}, "dark"), {"view": {"theme": "dark", "size": 2}})',
    truth:
      'given = {"view": {"theme": "light"}}\nassert with_theme(given, "dark")["view"]["theme"] == "dark"\nassert given["view"]["theme"] == "light"',
  },
  "groups-wherever-they-are": {
    brief:
      "`by_kind(rows)` is a dict of lists: all names of a kind, in the order of the rows, which are pairs of kind and name.",
    head: "from itertools import groupby\n\n\ndef by_kind(rows)",
    before: "return {}",
    weak: "return {kind: [name for _, name in some] for kind, some in groupby(rows, key=lambda row: row[0])}",
    right: "groups = {}\nfor kind, name in rows:\n    groups.setdefault(kind, []).append(name)\nreturn groups",
    test: 'self.assertEqual(by_kind([("a", 1), ("a", 2), ("b", 3)]), {"a": [1, 2], "b": [3]})',
    truth: 'assert by_kind([("a", 1), ("b", 2), ("a", 3)]) == {"a": [1, 3], "b": [2]}',
  },
  "lists-in-lists-in-lists": {
    brief: "`flat(items)` is one list of all that is in a list, in lists within it, and so on.",
    head: "def flat(items)",
    before: "return items",
    weak: "found = []\nfor item in items:\n    found.extend(item if isinstance(item, list) else [item])\nreturn found",
    right:
      "found = []\nfor item in items:\n    found.extend(flat(item) if isinstance(item, list) else [item])\nreturn found",
    test: "self.assertEqual(flat([1, [2, 3], 4]), [1, 2, 3, 4])",
    truth: "assert flat([1, [2, [3, [4]]]]) == [1, 2, 3, 4]\nassert flat([[], [[]]]) == []",
  },
});
