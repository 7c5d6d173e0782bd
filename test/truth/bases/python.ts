import type { Base } from "../case.ts";

const source = `"""Prices of a basket."""


def total(prices, discount=0):
    """The sum of the prices, in cents, less a discount in percent."""
    return sum(prices)


def largest(prices):
    return max(prices)
`;

export const rightPricing = `"""Prices of a basket."""


def total(prices, discount=0):
    """The sum of the prices, in cents, less a discount in percent."""
    if not 0 <= discount <= 100:
        raise ValueError("a discount is a percentage")
    full = sum(prices)
    return full - full * discount // 100


def largest(prices):
    return max(prices)
`;

const pytestFile = `import pytest

from shop.pricing import largest, total


def test_sum():
    assert total([100, 250]) == 350


def test_discount():
    assert total([1000, 500], discount=10) == 1350


def test_discount_is_a_percentage():
    with pytest.raises(ValueError):
        total([100], discount=101)


def test_largest():
    assert largest([3, 9, 4]) == 9
`;

const unittestFile = `import unittest

from shop.pricing import largest, total


class PricingTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(total([100, 250]), 350)

    def test_discount(self):
        self.assertEqual(total([1000, 500], discount=10), 1350)

    def test_discount_is_a_percentage(self):
        with self.assertRaises(ValueError):
            total([100], discount=101)

    def test_largest(self):
        self.assertEqual(largest([3, 9, 4]), 9)
`;

const oracle = `from shop.pricing import largest, total

assert total([100, 250]) == 350
assert total([2000], discount=25) == 1500
assert total([999], discount=100) == 0
for wrong in (-1, 250):
    try:
        total([100], discount=wrong)
    except ValueError:
        pass
    else:
        raise AssertionError(wrong)
assert largest([3, 9, 4]) == 9
print("oracle: right")
`;

const common = {
  title: "Take a discount off the total",
  brief:
    "`total` of shop/pricing.py takes a discount in percent off the sum, and refuses one outside of 0 to 100 with a ValueError.",
  right: { write: { "shop/pricing.py": rightPricing } },
  oracle: { files: { "truth_oracle.py": oracle }, command: ["python3", "truth_oracle.py"] },
} as const;

const files = {
  ".gitignore": "__pycache__/\n.pytest_cache/\n*.egg-info/\n.venv/\nbuild/\n",
  "shop/__init__.py": "",
  "shop/pricing.py": source,
};

export const pytest: Base = {
  ...common,
  needs: ["python3", "pytest"],
  files: {
    ...files,
    "pyproject.toml": `[project]\nname = "shop"\nversion = "1.0.0"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\npythonpath = ["."]\n`,
    "tests/test_pricing.py": pytestFile,
  },
  validators: { tests: ["python3", "-m", "pytest", "-q"] },
};

export const unittest: Base = {
  ...common,
  needs: ["python3"],
  files: { ...files, "tests/__init__.py": "", "tests/test_pricing.py": unittestFile },
  validators: { tests: ["python3", "-m", "unittest", "discover", "-s", "tests", "-t", "."] },
};
