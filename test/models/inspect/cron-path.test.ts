import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { cronPath, crontabLine, isOnCronPath } from "../../../lib/models/inspect/cron-path.ts";
import { makeFolder } from "../../process/arrange.ts";
import { writePrograms } from "../programs.ts";

test("a program is on cron's PATH only where that leads to the very same one", (t) => {
  const folder = makeFolder(t);
  const own = writePrograms(join(folder, "own"), { claude: "", pi: "", codex: "" });
  const cron = writePrograms(join(folder, "cron"), { pi: "" });
  symlinkSync(join(own, "claude"), join(cron, "claude"));
  const asked = ["claude", "pi", "codex"].map((program) => ({ program, path: join(own, program) }));
  assert.deepEqual(
    asked.map((one) => isOnCronPath(one, cron)),
    [true, false, false],
  );
  assert.equal(isOnCronPath({ program: "claude", path: join(folder, "gone") }, cron), false);
});

test("what every system has is on the PATH that cron gives", () => {
  assert.equal(isOnCronPath({ program: "sh", path: "/bin/sh" }), true);
});

test("the line for the crontab names each folder once, and cron's own last", () => {
  const programs = [
    { program: "claude", path: "/opt/node/bin/claude" },
    { program: "codex", path: "/opt/node/bin/codex" },
    { program: "pi", path: "/home/dev/bin/pi" },
  ];
  assert.equal(crontabLine(programs), `PATH=/opt/node/bin:/home/dev/bin:${cronPath}`);
});
