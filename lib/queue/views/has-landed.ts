import { goesBack } from "../../git/log.ts";
import { readBlob } from "../../git/objects.ts";
import type { GitPlace } from "../../git/place.ts";
import { changedWith, findLastChange } from "../../git/revision.ts";

/**
 * Whether a commit has all of a task's branch, whatever the files of a working tree say: it goes back to that, or, after a
 * squash or a rebase by hand, it has all of the journal, which came with something of the work. Throws TP_GIT.
 */
export async function hasLanded(
  place: GitPlace,
  { commit, path }: { readonly commit: string; readonly path: string },
  target: string,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  if (await goesBack(place, target, commit, env)) return true;
  const journal = `${path}/artifacts/journal.jsonl`;
  const [own, there] = [
    await readBlob(place, `${commit}:${journal}`, env),
    await readBlob(place, `${target}:${journal}`, env),
  ];
  if (own === null || there === null || !there.subarray(0, own.length).equals(own)) return false;
  // What a person put on the branch after its last verdict is no part of that journal.
  if ((await findLastChange(place, commit, journal, env)) !== commit) return false;
  const isWork = (name: string) => !name.startsWith(`${path}/`);
  const work = (await changedWith(place, [target, commit], journal, env)).filter(isWork);
  const came = new Set(await changedWith(place, [commit, target], journal, env));
  return work.length === 0 || work.some((name) => came.has(name));
}
