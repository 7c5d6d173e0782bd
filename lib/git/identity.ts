import { type GitSettings, settingOf } from "./settings.ts";

const fallback = { NAME: "task-phase", EMAIL: "task-phase@localhost" };

/**
 * The variables that name author and committer, since the runner's git reads no settings: what the environment says,
 * else the person's settings; if a name or an address is known from nowhere, `task-phase <task-phase@localhost>`. Git
 * itself would make one up from the name of the machine.
 */
export function identityVariables(settings: GitSettings, env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.assign({}, ...(["AUTHOR", "COMMITTER"] as const).map((role) => variablesOf(role, settings, env)));
}

function variablesOf(role: "AUTHOR" | "COMMITTER", settings: GitSettings, env: NodeJS.ProcessEnv): object {
  const known = (["NAME", "EMAIL"] as const).map((part) => {
    const keys = [`${role}.${part}`, `user.${part}`].map((key) => settingOf(settings, key.toLowerCase()));
    const general = part === "EMAIL" ? [env.EMAIL] : [];
    const value = [env[`GIT_${role}_${part}`], ...keys, ...general].find((text) => (text ?? "").trim() !== "");
    return [`GIT_${role}_${part}`, value ?? null] as const;
  });
  if (known.every(([, value]) => value !== null)) return Object.fromEntries(known);
  return { [`GIT_${role}_NAME`]: fallback.NAME, [`GIT_${role}_EMAIL`]: fallback.EMAIL };
}
