import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addStopHook, onlyStopHook } from "../../../lib/scaffold/init/stop-hook.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";

const add = (text: string) => addStopHook(text, "settings.json");

test("the hook is added at the end of the list, and every byte outside of the list stays", () => {
  const before = `{
    "permissions": { "allow": ["Bash(npm test)"], "deny": [] },
    "hooks": {
        "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ],
        "PreToolUse": []
    },
    "later": 1e3
}
`;
  const after = add(before) ?? "";
  const ours = JSON.parse(onlyStopHook).hooks.Stop[0] as unknown;
  const expected = JSON.parse(before) as { hooks: { Stop: unknown[] } };
  expected.hooks.Stop.push(ours);
  assert.deepEqual(JSON.parse(after), expected);
  const [head = "", tail = ""] = before.split(/ \{ "hooks".*?"say done" \} \] \} /);
  assert.ok(after.startsWith(head) && after.endsWith(tail) && tail.startsWith("],\n"), after);
  assert.match(after, /^ {8,}"timeout": 75$/m);
  assert.equal(add(after), null, "a second time changes nothing");
});

test("a file that has the hook in other words is left alone", () => {
  for (const command of ["task-phase prove --hook", "cd app && npx --no-install task-phase prove --hook"])
    assert.equal(add(JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } })), null);
});

test("tabs and line ends of Windows are kept", () => {
  const after = add('{\r\n\t"model": "opus"\r\n}\r\n') ?? "";
  assert.equal(after.replaceAll("\r\n", "").includes("\n"), false);
  assert.match(after, /\r\n\t"hooks": \{\r\n\t\t"Stop": \[/);
});

test("settings that are not JSON of that form are refused with their file, and nothing is lost", () => {
  const refused: [string, RegExp][] = [
    ["", /not JSON/],
    ["{ // mine\n}", /not JSON/],
    ["[]", /not a map/],
    ['{"hooks":null}', /hooks\.Stop is not a list in a map/],
    ['{"hooks":[]}', /hooks\.Stop is not a list/],
    ['{"hooks":{"Stop":{}}}', /hooks\.Stop is not a list/],
    ['{"hooks":{"Stop":[]},"hooks":{}}', /a key twice/],
  ];
  for (const [text, why] of refused) {
    assert.throws(
      () => add(text),
      (error) =>
        error instanceof TaskPhaseError && error.exitName === "data" && why.test(error.findings[0]?.message ?? ""),
      text,
    );
  }
});

test("no settings lose a value", () => {
  const hooks = fc.option(
    fc.record(
      { Stop: fc.array(fc.jsonValue(), { maxLength: 3 }), PostToolUse: fc.array(fc.jsonValue(), { maxLength: 2 }) },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  );
  const settings = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), hooks, fc.integer({ min: 0, max: 4 }));
  fc.assert(
    fc.property(settings, ([rest, given, indent]) => {
      const { hooks: _, ...others } = rest;
      const before = JSON.stringify({ ...others, ...(given === undefined ? {} : { hooks: given }) }, null, indent);
      const after = JSON.parse(add(before) ?? "null") as { hooks: { Stop: unknown[] } };
      assert.equal(after.hooks.Stop.length, (given?.Stop ?? []).length + 1);
      after.hooks.Stop.pop();
      const was = JSON.parse(before) as { hooks?: { Stop?: unknown[] } };
      assert.deepEqual(after, { ...was, hooks: { ...was.hooks, Stop: was.hooks?.Stop ?? [] } });
    }),
  );
});
