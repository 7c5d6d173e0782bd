import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { EvidenceConfig } from "../../../lib/documents/config/config-schema.ts";
import { evidenceLink, findEvidenceUrl, locateEvidence, readHostedCode } from "../../../lib/pass/checkpoint/hosted.ts";
import { placeOf, type TaskPlace } from "../../../lib/task/records/task-place.ts";
import { git, gitEnv, makeRepo, write } from "../../git/git-repo.ts";
import { withFolder } from "../../store/temporary-folder.ts";

const ports = { env: gitEnv };
const config = (evidence: Partial<EvidenceConfig> = {}) => ({
  evidence: { baseUrl: null, hostKind: null, webBase: null, links: "auto" as const, ...evidence },
});
const pages = { "EVIDENCE.md": "proof\n", "artifacts/evidence.html": "<p>proof</p>\n" };

/** Two tasks in a repository with this remote. */
function makeTasks(folder: string, remote: string | null): { repo: string; places: TaskPlace[] } {
  const repo = join(folder, "repo");
  const names = ["T 1", "T-2"];
  makeRepo(repo, { "tasks/T-2/STATE.md": "no evidence yet\n" });
  write(repo, Object.fromEntries(Object.entries(pages).map(([file, text]) => [`tasks/T 1/${file}`, text])));
  if (remote !== null) git(repo, "remote", "add", "origin", remote);
  return { repo, places: names.map((name) => placeOf(join(repo, "tasks", name))) };
}

const [later, none] = ["not pushed yet", { link: null, advice: null }];

describe("where evidence opens", () => {
  it("is given for each task that has a page, its name encoded", () =>
    withFolder(async (folder) => {
      const { places } = makeTasks(folder, "git@gitlab.com:g/s/r.git");
      const located = await locateEvidence(
        places.map((place) => ({ place, config: config() })),
        ports,
      );
      const url = "https://gitlab.com/g/s/r/-/blob/main/tasks/T%201/EVIDENCE.md";
      assert.deepEqual(
        [...located],
        [[places[0]?.taskDir, { link: { url, pushed: false, label: later }, advice: null }]],
      );
    }));

  it("is where pages are served, whatever git knows", () =>
    withFolder(async (folder) => {
      const [place, empty] = makeTasks(folder, "git@gitlab.com:g/s/r.git").places;
      assert.ok(place !== undefined && empty !== undefined);
      const served = config({ baseUrl: "https://e.example/tasks" });
      const url = "https://e.example/tasks/T%201/artifacts/evidence.html";
      assert.deepEqual(await findEvidenceUrl(place, served, { env: { PATH: "/nowhere" } }), {
        url,
        pushed: true,
        label: "",
      });
      assert.equal(await findEvidenceUrl(empty, served, ports), null);
      const single = "[artifacts/a b.md](artifacts/a%20b.md)";
      assert.deepEqual(
        [null, "EVIDENCE.md", "artifacts/a b.md"].map((target) => [
          evidenceLink(place, target, served, null),
          evidenceLink(place, target, config(), null),
        ]),
        [
          ["", ""],
          [`[evidence.html](${url})`, "[EVIDENCE.md](EVIDENCE.md)"],
          [`[evidence.html](${url}), ${single}`, `[EVIDENCE.md](EVIDENCE.md), ${single}`],
        ],
      );
    }));

  it("is relative in STATE.md with the full address behind it if host and branch are known and git keeps the file", () =>
    withFolder(async (folder) => {
      const { repo, places } = makeTasks(folder, null);
      const [place] = places;
      assert.ok(place !== undefined);
      const web = "https://github.com/o/r";
      const code = { commit: null, branch: "work/night", dirty: false, web, kind: "github", pushed: false } as const;
      const linked = (links: EvidenceConfig["links"], hosted: Parameters<typeof evidenceLink>[3]) =>
        evidenceLink(place, "artifacts/a b.md", config({ links }), hosted);
      const known = { repo, code, ignored: false };
      const full = `[EVIDENCE.md](${web}/blob/work/night/tasks/T%201/EVIDENCE.md), [artifacts/a b.md](${web}/blob/work/night/tasks/T%201/artifacts/a%20b.md)`;
      const behind = (path: string) => ` ([on github.com](${web}/blob/work/night/tasks/T%201/${path}))`;
      const both = `[EVIDENCE.md](EVIDENCE.md)${behind("EVIDENCE.md")}, [artifacts/a b.md](artifacts/a%20b.md)${behind("artifacts/a%20b.md")}`;
      const relative = "[EVIDENCE.md](EVIDENCE.md), [artifacts/a b.md](artifacts/a%20b.md)";
      assert.deepEqual(
        [
          ...[linked("auto", known), linked("full", known), linked("relative", known)],
          ...[linked("auto", { ...known, code: { ...code, branch: null } }), linked("auto", { ...known, code: null })],
          ...[linked("auto", { ...known, repo: folder }), linked("auto", { ...known, ignored: true })],
        ],
        [both, full, relative, relative, relative, relative, relative],
      );
    }));

  it("is nowhere without a remote, on a remote that is no host, and where git cannot tell", () =>
    withFolder(async (folder) => {
      const { repo, places } = makeTasks(folder, null);
      const tasks = places.slice(0, 1).map((place) => ({ place, config: config() }));
      const [taskDir] = places.map((place) => place.taskDir);
      const locate = async () => (await locateEvidence(tasks, ports)).get(taskDir ?? "");
      assert.deepEqual(await locate(), none);
      git(repo, "remote", "add", "origin", "/srv/git/r.git");
      assert.deepEqual(await locate(), none);
      git(repo, "remote", "set-url", "origin", "git@bitbucket.org:w/r.git");
      git(repo, "switch", "-q", "-c", "agent/T-1");
      assert.deepEqual(await locate(), none);
      git(repo, "switch", "-q", "--detach");
      assert.deepEqual(await locate(), none);
      writeFileSync(join(repo, ".git", "config"), "[broken\n");
      assert.deepEqual(await locate(), none);
    }));
});

describe("the code of a verdict", () => {
  it("is described with nothing where there is no git, and without a page where no host is known", () =>
    withFolder(async (folder) => {
      const nothing = { commit: null, branch: null, dirty: null, web: null, kind: null, pushed: null };
      assert.deepEqual(await readHostedCode(folder, [], config(), ports), nothing);
      const { repo } = makeTasks(folder, null);
      const commit = git(repo, "rev-parse", "HEAD").trim();
      const known = { ...nothing, commit, branch: "main", dirty: true };
      assert.deepEqual(await readHostedCode(repo, [], config(), ports), known);
      git(repo, "remote", "add", "origin", "https://tok:en@git.example.org/o/r.git");
      const onHost = { ...known, web: "https://git.example.org/o/r", pushed: false };
      assert.deepEqual(await readHostedCode(repo, [], config(), ports), onHost);
      assert.deepEqual(await readHostedCode(repo, [], config({ hostKind: "gitea" }), ports), {
        ...onHost,
        kind: "gitea",
      });
    }));
});
