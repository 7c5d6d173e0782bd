import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { makeBranchWorld } from "../cli/branch-world.ts";

/** What an agent may leave in its clone, none of which the next pass may see unless it is in the branch. */
const leavings: Readonly<Record<string, string>> = {
  "nothing but its work": ":",
  "ignored files and empty folders": "mkdir -p ignored/deep lib/empty new; echo evil > ignored/deep/file",
  "changed and exchanged files": "echo more >> lib/a.js; cp -p lib/b.js lib/c; mv lib/c lib/b.js; chmod +x lib/d/e.js",
  "another inode with the same bytes and times":
    "cp -p lib/b.js x; echo 'goOd' > x; touch -r lib/b.js x; mv x lib/b.js",
  "a link in the place of a folder": "mkdir ignored; mv lib/d ignored/d; ln -s ../ignored/d lib/d",
  "a file in the place of a folder": "rm -r lib/d; echo file > lib/d",
  "attributes that change how git writes files": "echo '*.js text eol=crlf' > .gitattributes",
  "a branch, a stash and an index of its own":
    "echo x > lib/n.js; git add lib; git stash -q; git switch -q -c other; git rm -q --cached lib/b.js",
  "folders that it may not write": "chmod 500 lib; chmod 000 lib/d",
};

/** Each file, link and folder but those of git and of the tasks, with its mode and its bytes. */
const list =
  "find . -mindepth 1 \\( -path ./.git -o -path ./tasks \\) -prune -o -printf '%y %m %p %l ' \\( -type f -exec md5sum {} \\; -o -printf '\\n' \\) | sort";

const files = { "lib/a.js": "good\n", "lib/b.js": "good\n", "lib/d/e.js": "good\n", "lib/d/f/g.js": "good\n" };

describe("the files of one pass in a clone, used again by the next", { concurrency: 2 }, () => {
  for (const [what, evil] of Object.entries(leavings))
    test(`they are those of the branch, whatever a pass left: ${what}`, async (t) => {
      const inode = "stat -c '%i %z' lib/d/f/g.js";
      const fresh = `git clone -q --branch task-phase/T-1 "$repo" fresh`;
      const world = makeBranchWorld(t, { "T-1": {} });
      const begin = `plans='${world.path("plans")}'; repo='${world.path("repo")}'; cd "$TASK_PHASE_REPO"`;
      const plan = [
        `${begin}; ${inode} > "$plans/first"; ${evil}`,
        `${begin}; ${list} > "$plans/seen"; ${inode} > "$plans/last" || :; cd "$plans"; ${fresh}; cd fresh; ${list} > "$plans/wanted"`,
      ];
      world.write("plans/T-1.plan", plan.join("\n"));
      for (const [path, text] of Object.entries(files)) world.write(`repo/${path}`, text);
      world.git("repo", "add", "lib");
      world.git("repo", "commit", "-qm", "lib");
      for (let pass = 0; pass < 3; pass += 1) await world.ends(0, "run", "T-1");
      assert.equal(world.read("plans/seen"), world.read("plans/wanted"));
      const isSame = world.read("plans/first") === world.read("plans/last");
      if (what.includes("work") || what.includes("ignored")) assert(isSame, "a file that nobody touched stays");
      if (what.startsWith("attributes")) assert(!isSame, "all files are written anew");
      await world.ends(0, "land", "--all");
      const kept = world.path("home", ".cache", "task-phase", "files");
      const left = existsSync(kept) ? readdirSync(kept).flatMap((key) => readdirSync(`${kept}/${key}`)) : [];
      assert.deepEqual(left, []);
    });

  test("with other settings of git they are written anew", async (t) => {
    const line = `stat -c '%i %z' "$TASK_PHASE_REPO/work.txt" >> `;
    const world = makeBranchWorld(t, { "T-1": {} });
    world.write("plans/T-1.plan", [0, 1].map(() => `${line}'${world.path("plans/seen")}'`).join("\n"));
    await world.ends(0, "run", "T-1");
    const env = { GIT_CONFIG_GLOBAL: world.write("settings", "[core]\n\tautocrlf = input\n") };
    for (let pass = 0; pass < 2; pass += 1) await world.call("task-phase", ["run", "T-1"], { cwd: "repo", env });
    const [first, last] = world.read("plans/seen").split("\n");
    assert.notEqual(first, last);
  });
});
