import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  addCooldown,
  type Cooldown,
  cooldownAfter,
  formatCooldowns,
  readCooldowns,
} from "../../../lib/models/select/cooldowns.ts";

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

  test("lasts at least a second and at most seven days, whatever was given", () => {
    const until = (given: string) => cooldownAfter(limited(given), mine, now).until - second;
    assert.deepEqual(["2026-11-21T09:59:01Z", "2026-11-21T10:00:00Z"].map(until), [1, 1]);
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

  test("says the reason on one short line", () => {
    const { reason } = cooldownAfter(limited(null, `two\nlines ${"x".repeat(400)}`), mine, now);
    assert.match(reason, /^two\\nlines x+…$/);
    assert.equal(reason.length, 300);
  });
});

describe("readCooldowns", () => {
  test("finds none in a file that does not exist", () => {
    assert.deepEqual(readCooldowns(null, now), { active: [], problem: null });
  });

  test("reads what it wrote", () => {
    const both = [cooldown("b", second + 5), cooldown("a", second + 9)];
    const text = formatCooldowns(both);
    assert.equal(
      text,
      `{\n  "a": {\n    "cooldown_until": ${second + 9},\n    "observed_at": ${second},\n    "reason": "429"\n  },\n  "b": {\n    "cooldown_until": ${second + 5},\n    "observed_at": ${second},\n    "reason": "429"\n  }\n}\n`,
    );
    assert.deepEqual(readCooldowns(Buffer.from(text), now), { active: [...both].reverse(), problem: null });
  });

  test("leaves out one whose time has passed, to the second", () => {
    const at = (offset: number) => read({ mine: entry(second + 5) }, new Date((second + offset) * 1_000)).active.length;
    assert.deepEqual([0, 4.9, 5, 6].map(at), [1, 1, 0, 0]);
  });

  test("leaves out one that was observed in the future, as after the clock was set back, and says so", () => {
    assert.deepEqual(read({ mine: entry(second + 500, second + 61) }), {
      active: [],
      problem: "mine: observed_at, in seconds since 1970, is in the future",
    });
  });

  test("keeps one of a clock that is a little ahead", () => {
    const ahead = cooldown("mine", second + 500, second + 60);
    assert.deepEqual(read({ mine: entry(second + 500, second + 60) }), {
      active: [{ ...ahead, reason: "429" }],
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

  test("takes a file that is no JSON object as empty, and says so", () => {
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
