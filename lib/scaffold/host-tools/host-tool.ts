import { readRemote } from "../../git/hosts/remote-place.ts";
import { findHostedRepository, type HostConfig } from "../../git/hosts/web.ts";
import { findOutside } from "../../process/bwrap.ts";
import { runTool } from "../../process/run-tool.ts";
import { configError, diskError, type TaskPhaseError, usageError } from "../../text/errors.ts";
import { asObject, type JsonObject, parseJson } from "../../text/json-object.ts";
import { shorten } from "../../text/shorten.ts";

/** A repository on GitHub or GitLab, asked through the CLI that has the person's login. */
export interface HostTool {
  readonly tool: "gh" | "glab";
  readonly host: string;
  /** Its place in the REST API, as `repos/owner/name`. */
  readonly root: string;
  /** `input` goes as JSON on standard input, since every user of the machine can read arguments. */
  ask(method: "GET" | "POST" | "PATCH" | "PUT", endpoint: string, input?: JsonObject): Promise<unknown>;
}

export interface HostRequest {
  /** Of a remote, or of the repository's page. */
  readonly url: string;
  /** `--with`. */
  readonly tool: string | null;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** Folders where agents write: no program is taken from there. */
  readonly agents: readonly string[];
  readonly config: HostConfig;
  /** Ends the program; missing: only its time does. */
  readonly signal?: AbortSignal | null;
}

const kinds = { gh: "github", glab: "gitlab" } as const;

/**
 * `tool` decides between gh and glab, else the host does, else whether gh has a login there. Throws config errors if that
 * leads to neither or it is not on PATH, and usage errors.
 */
export async function findHostTool(request: HostRequest): Promise<HostTool> {
  const { url, tool, env, config } = request;
  if (tool !== null && tool !== "gh" && tool !== "glab")
    throw usageError("TP_USAGE_BAD_VALUE", `--with expects gh or glab, found '${shorten(tool)}'`);
  const { host = null } = readRemote(url) ?? {};
  if (host === null) throw unknownHost("the remote is no address on a git host", byHand);
  const known = tool === null ? findHostedRepository(url, { env, config }).kind : kinds[tool];
  const auth = ["auth", "status", "--hostname", host];
  const kind = known ?? ((await call(request, { tool: "gh", host }, auth)).exitCode === 0 ? "github" : null);
  const found = (["gh", "glab"] as const).find((each) => kinds[each] === kind);
  const { web } = findHostedRepository(url, { env, config: { ...config, hostKind: kind } });
  if (kind === null) throw unknownHost(`it is not known that ${host} is GitHub or GitLab`, byWord(host));
  if (found === undefined || web === null) throw unknownHost(`${host} has neither gh nor glab`, byHand);
  const page = new URL(web);
  const path = page.pathname.slice(1);
  const root = found === "gh" ? `repos/${path}` : `projects/${encodeURIComponent(decodeURIComponent(path))}`;
  const place = { tool: found, host: page.host };
  return { ...place, root, ask: (method, endpoint, input) => ask(request, place, [method, endpoint], input) };
}

const byHand = "task-phase show TASK --pr prints the text of a pull request, to make it by hand";
const byWord = (host: string) =>
  `add --with gh or --with glab, or set evidence: { host_kind: gitlab } in task-phase.yaml; gh auth login --hostname ${host} tells too`;

function unknownHost(what: string, fix: string): TaskPhaseError {
  return configError("TP_HOST_UNKNOWN", what, { fix });
}

type Place = Pick<HostTool, "tool" | "host">;

/**
 * `api` and not `pr`: `glab mr create` takes its text only as an argument, and `gh pr edit` fails before 2.82.1
 * (https://github.com/cli/cli/issues/11983).
 */
async function ask(request: HostRequest, place: Place, words: readonly [string, string], input?: JsonObject) {
  const { tool, host } = place;
  const body = input === undefined ? [] : ["--header", "Content-Type: application/json", "--input", "-"];
  const end = await call(request, place, ["api", "--hostname", host, ...body, "--method", ...words], input);
  const answer = parseJson(end.stdout.toString("utf8"));
  if (end.exitCode === 0 && answer !== undefined) return answer;
  // An older gh says what GitHub's refusal is about only in the answer.
  const { errors } = asObject(answer) ?? {};
  const more = (Array.isArray(errors) ? errors : []).map((each) => asObject(each)?.message ?? "");
  const said = shorten([end.said.replace(/\s*\n\s*/g, "; "), ...more].filter((text) => text !== "").join("; "), 300);
  const login = `${tool} auth login --hostname ${host}`;
  if (end.exitCode === noProgram)
    throw configError("TP_HOST_TOOL", `${tool} is not on PATH`, { fix: `install it, then: ${login}` });
  if (end.exitCode === 4 || /\b401\b|auth login|not logged in/i.test(said))
    throw configError("TP_HOST_LOGIN", `${tool} is not logged in to ${host}: ${said}`, { fix: login });
  const fix = said.includes("404")
    ? "check the address, and whether your login may see it"
    : `see what this prints, then try again: ${tool} api --hostname ${host} user`;
  const why = said === "" ? `it ended with ${end.exitCode ?? "a signal"} and printed no JSON` : said;
  throw diskError("TP_HOST_FAILED", `${tool} failed on ${host} (${words.join(" ")}): ${why}`, { fix });
}

/** As a shell has it. */
const noProgram = 127;
const quiet = { GH_PROMPT_DISABLED: "1", NO_PROMPT: "1", GH_NO_UPDATE_NOTIFIER: "1", GLAB_CHECK_UPDATE: "false" };
const plain = { CLICOLOR_FORCE: "0", GH_FORCE_TTY: "", GH_DEBUG: "", DEBUG: "" };

/** In the person's home: both CLIs also read settings of the repository around them, where a pass may have written. */
async function call(
  { env, home, agents, signal = null }: HostRequest,
  place: Place,
  words: readonly string[],
  input?: JsonObject,
) {
  const program = findOutside(place.tool, env.PATH ?? "", agents);
  if (program === null) return { exitCode: noProgram, stdout: Buffer.alloc(0), said: "" };
  return await runTool({
    argv: [program, ...words],
    cwd: home,
    env: { ...env, ...withoutOthers(place.host, env), ...quiet, ...plain },
    input: Buffer.from(input === undefined ? "" : JSON.stringify(input)),
    timeoutMs: 60_000,
    maxBytes: 16 * 1024 * 1024,
    signal,
  });
}

const tokens = "GH_ENTERPRISE_TOKEN GITHUB_ENTERPRISE_TOKEN GITLAB_TOKEN GITLAB_ACCESS_TOKEN OAUTH_TOKEN".split(" ");
const namesHost = ["GH_HOST", "GITHUB_SERVER_URL", "GITLAB_HOST", "GL_HOST", "CI_SERVER_URL"];

/** Both CLIs send these to any host, and a pass may have written the remote's URL: a host that is not named gets none. */
function withoutOthers(host: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const named = namesHost.map((name) => env[name]?.replace(/^https?:\/\//, "").split("/")[0]);
  if (host === "gitlab.com" || named.includes(host)) return {};
  return Object.fromEntries(tokens.map((name) => [name, undefined]));
}

/** A key of an answer; throws if it is no text. */
export function textOf(answer: unknown, key: string): string {
  const value = asObject(answer)?.[key];
  if (typeof value === "string") return value;
  throw diskError("TP_HOST_FAILED", `the git host's answer has no ${key}`, {
    fix: "see whether gh or glab is the real one, and what it prints: gh api user, glab api user",
  });
}
