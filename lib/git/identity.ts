import { type GitSettings, settingOf } from "./settings.ts";

const fallback = { NAME: "task-phase", EMAIL: "task-phase@localhost" };

/**
 * The variables that name author and committer: what the environment says, else nothing, since git finds the person's
 * settings by itself; where a name or an address is known from nowhere, `task-phase <task-phase@localhost>`. Git itself
 * would make one up from the name of the machine.
 */
export function identityVariables(settings: GitSettings, env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.assign({}, ...(["AUTHOR", "COMMITTER"] as const).map((role) => variablesOf(role, settings, env)));
}

function variablesOf(role: "AUTHOR" | "COMMITTER", settings: GitSettings, env: NodeJS.ProcessEnv): object {
  const known = (["NAME", "EMAIL"] as const).map((part) => {
    const given = env[`GIT_${role}_${part}`] ?? "";
    const keys = [`${role.toLowerCase()}.${part.toLowerCase()}`, `user.${part.toLowerCase()}`];
    const set = keys.some((key) => (settingOf(settings, key) ?? "").trim() !== "");
    const general = part === "EMAIL" && (env.EMAIL ?? "") !== "";
    return { name: `GIT_${role}_${part}`, given, isKnown: given !== "" || set || general };
  });
  if (known.some(({ isKnown }) => !isKnown)) {
    return { [`GIT_${role}_NAME`]: fallback.NAME, [`GIT_${role}_EMAIL`]: fallback.EMAIL };
  }
  return Object.fromEntries(known.filter(({ given }) => given !== "").map(({ name, given }) => [name, given]));
}
