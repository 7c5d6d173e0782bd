import assert from "node:assert/strict";
import { sep } from "node:path";
import { test } from "node:test";
import { claimPlace } from "../../lib/fleet/claim-place.ts";

test("no task has a path of another one, whatever its id ends in", () => {
  const shared = ["mirror", "mirrorLock"];
  // An id may end in anything but `.lock`, which no branch may.
  const ids = ["A", "A.json", "A.json.json", "A.git-work", "A.git-work.json"];
  const paths = ids.flatMap((id) => {
    const own = Object.entries(claimPlace("/cache", "https://git.example.org/app", id));
    return own.filter(([name]) => !shared.includes(name)).map(([, path]) => path);
  });
  const met = paths.filter((path, index) =>
    paths.some((other, place) => place !== index && (other === path || other.startsWith(path + sep))),
  );
  assert.deepEqual(met, []);
});
