import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  addCooldown,
  type Cooldown,
  cooldownAfter,
  cooldownOf,
  formatCooldowns,
  type ReadCooldowns,
  readCooldowns,
} from "../../../lib/agents/select/cooldowns.ts";

const now = new Date("2026-11-21T10:00:00.400Z");
const second = Date.parse("2026-11-21T10:00:00Z") / 1_000;
const week = 7 * 24 * 60 * 60;
const mine = { name: "mine", cooldownMs: 900_000 };

const limited = (until: string | null, reason = "429") =>
  ({ kind: "limited", cause: "rate_limit", reason, until }) as const;
const cooldown = (model: string, until: number, observedAt = second): Cooldown => ({
  model,
  until,
  observedAt,
  reason: "429",
});
const read = (value: unknown, at = now) => readCooldowns(Buffer.from(JSON.stringify(value)), at);
const entry = (until: unknown, observed: unknown = second, reason: unknown = "429") => ({
  cooldown_until: until,
  observed_at: observed,
  reason,
});

describe("cooldownAfter", () => {
  test("lasts until the time that the provider gave, in whole seconds", () => {
    assert.deepEqual(cooldownAfter(limited("2026-11-21T12:00:00.100Z"), mine, now), {
      model: "mine",
      until: second + 7_201,
      observedAt: second,
      reason: "429",
    });
  });

  test("lasts as long as the model's own cooldown where no time was given, or none that can be read", () => {
    for (const until of [null, "soon"]) assert.equal(cooldownAfter(limited(until), mine, now).until, second + 901);
  });

  test("lasts at least a minute and at most seven days, whatever was given", () => {
    const until = (given: string) => cooldownAfter(limited(given), mine, now).until - second;
    assert.deepEqual(
      ["2026-11-21T09:59:01Z", "2026-11-21T10:00:00Z", "2026-11-21T10:00:59Z", "2026-11-21T10:01:01Z"].map(until),
      [60, 60, 60, 61],
    );
    assert.equal(cooldownAfter(limited(null), { ...mine, cooldownMs: 2_000 }, now).until, second + 60);
    assert.deepEqual(["2026-11-28T09:59:59Z", "2026-11-28T10:00:01Z", "+058868-01-01T00:00:00Z"].map(until), [
      week - 1,
      week,
      week,
    ]);
    assert.equal(cooldownAfter(limited(null), { ...mine, cooldownMs: 1e15 }, now).until, second + week);
  });

  test("lasts as long as the model's own cooldown where the time that was given is long over", () => {
    for (const until of ["1970-01-01T00:00:00Z", "2026-11-21T09:58:59Z"])
      assert.equal(cooldownAfter(limited(until), mine, now).until, second + 901);
  });

  test("doubles while it repeats, but never makes a time longer that the provider gave and that is long enough", () => {
    const lengths = (until: string | null, cooldownMs = 900_000) =>
      [0, 1, 2, 3, 4, 5, 50].map((repeats) => {
        const cooldown = cooldownAfter(limited(until), { ...mine, cooldownMs }, new Date(second * 1_000), repeats);
        return cooldown.until - second;
      });
    assert.deepEqual(lengths("2026-11-21T10:00:02Z"), [60, 120, 240, 480, 960, 1_920, 14_400]);
    assert.deepEqual(lengths("2026-11-21T10:05:00Z"), [300, 300, 300, 480, 960, 1_920, 14_400]);
    assert.deepEqual(lengths(null), [900, 1_800, 3_600, 7_200, 14_400, 14_400, 14_400]);
    assert.deepEqual(lengths("2026-11-22T10:00:00Z"), Array(7).fill(24 * 3_600));
    assert.deepEqual(lengths(null, 6 * 3_600_000), Array(7).fill(6 * 3_600));
  });

  test("says the reason on one short line", () => {
    const { reason } = cooldownAfter(limited(null, `two\nlines ${"x".repeat(400)}`), mine, now);
    assert.match(reason, /^two\\nlines x+…$/);
    assert.equal(reason.length, 300);
  });
});

describe("cooldownOf", () => {
  const end = limited("2026-11-21T10:00:02Z");
  const at = new Date(second * 1_000).toISOString();
  const newest = { at, end, reasons: [] };
  const none = { active: [], ended: [] };
  const after = (before: Partial<Pick<ReadCooldowns, "active" | "ended">>) => {
    const { until, repeats } = cooldownOf(newest, mine, { ...none, ...before }) ?? {};
    return [(until ?? 0) - second, repeats];
  };

  test("counts the rests of the model in a row, whatever task they were met in, and those of no other model", () => {
    assert.deepEqual(after({}), [60, undefined]);
    const ended = [cooldown("mine", second)];
    assert.deepEqual(after({ ended }), [120, 1]);
    assert.deepEqual(after({ ended: ended.map((one) => ({ ...one, repeats: 2 })) }), [480, 3]);
    assert.deepEqual(after({ ended: [{ ...cooldown("other", second), repeats: 2 }] }), [60, undefined]);
  });

  test("a limit that another runner met at the same time is no repetition", () => {
    assert.deepEqual(after({ active: [{ ...cooldown("mine", second + 1), repeats: 1 }] }), [120, 1]);
  });

  test("begins where the model gave no sign of work, and at no other end", () => {
    const waited = { ...newest, end: { kind: "timed_out", timeout_ms: 1, silent: true } as const };
    const reasons = [{ category: "unavailable", code: "no_answer", text: "no sign" } as const];
    assert.deepEqual(cooldownOf({ ...waited, reasons }, mine, none), {
      ...{ model: "mine", until: second + 900, observedAt: second, reason: "no sign" },
    });
    assert.equal(cooldownOf(waited, mine, none), null);
    assert.equal(cooldownOf({ ...newest, end: { kind: "auth_failed", reason: "401" } }, mine, none), null);
  });
});

describe("readCooldowns", () => {
  test("finds none in a file that does not exist", () => {
    assert.deepEqual(readCooldowns(null, now), { active: [], ended: [], problem: null });
  });

  test("reads what it wrote", () => {
    const both = [cooldown("b", second + 5), cooldown("a", second + 9)];
    const text = formatCooldowns(both);
    assert.equal(
      text,
      `{\n  "a": {\n    "cooldown_until": ${second + 9},\n    "observed_at": ${second},\n    "reason": "429"\n  },\n  "b": {\n    "cooldown_until": ${second + 5},\n    "observed_at": ${second},\n    "reason": "429"\n  }\n}\n`,
    );
    assert.deepEqual(readCooldowns(Buffer.from(text), now), { active: [...both].reverse(), ended: [], problem: null });
  });

  test("reads how often a rest was repeated", () => {
    const twice = { ...cooldown("mine", second + 5), repeats: 2 };
    assert.deepEqual(readCooldowns(Buffer.from(formatCooldowns([twice])), now).active, [twice]);
    for (const repeats of [0, -1, 1.5, "2"]) {
      const { active, problem } = read({ mine: { ...entry(second + 5), repeats } });
      assert.deepEqual([active, problem?.slice(0, 5)], [[], "mine:"]);
    }
  });

  test("keeps one that ended for a day, so that the next one is known as a repetition", () => {
    const kept = (hours: number) => {
      const { active, ended } = read({ mine: entry(second + 5) }, new Date((second + 5 + hours * 3_600) * 1_000));
      return [active.length, ended.length];
    };
    assert.deepEqual([-0.001, 0, 23.999, 24].map(kept), [
      [1, 0],
      [0, 1],
      [0, 1],
      [0, 0],
    ]);
  });

  test("leaves out an entry whose time has passed, to the second", () => {
    const at = (offset: number) => read({ mine: entry(second + 5) }, new Date((second + offset) * 1_000)).active.length;
    assert.deepEqual([0, 4.9, 5, 6].map(at), [1, 1, 0, 0]);
  });

  test("leaves out an entry from the future, as after the clock was set back, and reports it", () => {
    assert.deepEqual(read({ mine: entry(second + 500, second + 61) }), {
      active: [],
      ended: [],
      problem: "mine: observed_at, in seconds since 1970, is in the future",
    });
  });

  test("keeps one of a clock that is a little ahead", () => {
    const ahead = cooldown("mine", second + 500, second + 60);
    assert.deepEqual(read({ mine: entry(second + 500, second + 60) }), {
      active: [{ ...ahead, reason: "429" }],
      ended: [],
      problem: null,
    });
  });

  test("holds none longer than seven days after it was observed", () => {
    assert.deepEqual(read({ mine: entry(1e300) }).active, [cooldown("mine", second + week)]);
  });

  test("leaves out what is malformed, and names it", () => {
    const bad = {
      "no number": entry("soon"),
      "no time": { cooldown_until: second + 5, reason: "429" },
      "no reason": entry(second + 5, second, null),
      "no map": null,
    };
    const { active, problem } = read({ ...bad, good: entry(second + 5) });
    assert.deepEqual(active, [cooldown("good", second + 5)]);
    assert.match(problem ?? "", /^no number, no time, no reason, no map: an entry needs cooldown_until/);
  });

  test("takes a file that is not a JSON object as empty, and reports it", () => {
    for (const text of ["", "{", "[]", "null", '"text"', "12"]) {
      const { active, problem } = readCooldowns(Buffer.from(text), now);
      assert.deepEqual(active, [], text);
      assert.match(problem ?? "", /not a JSON object/, text);
    }
  });

  test("reads a model of any name", () => {
    const text = formatCooldowns([cooldown("__proto__", second + 5), cooldown("7", second + 5)]);
    assert.deepEqual(
      readCooldowns(Buffer.from(text), now).active.map(({ model }) => model),
      ["7", "__proto__"],
    );
  });

  test("shows nothing that a terminal would obey", () => {
    assert.deepEqual(read({ mine: entry(second + 5, second, "red \u001b[31m") }).active[0]?.reason, "red \\x1b[31m");
  });
});

describe("addCooldown", () => {
  test("adds a model, and keeps the later end where it cools down already", () => {
    const first = [cooldown("a", second + 5)];
    const [sooner, later] = [cooldown("a", second + 4), cooldown("a", second + 6)];
    assert.deepEqual(addCooldown(first, cooldown("b", second + 1)), [...first, cooldown("b", second + 1)]);
    assert.deepEqual([addCooldown(first, sooner), addCooldown(first, later)], [first, [later]]);
  });
});
