#!/usr/bin/env node
// gh and glab, as far as task-phase calls them: git-host.mjs gh|glab FOLDER WORDS… Words and flags that the real ones do not
// know end with 1. FOLDER/state.json holds what the host has; each call is a line of FOLDER/calls.jsonl.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [tool, folder, ...words] = process.argv.slice(2);
const file = join(folder, "state.json");
const state = JSON.parse(readFileSync(file, "utf8"));
const tokens = ["GH_TOKEN", "GH_ENTERPRISE_TOKEN", "GITLAB_TOKEN"].filter((name) => process.env[name] !== undefined);
const call = { tool, words, cwd: process.cwd(), tokens, input: null };

/** Flags with a value of `gh api` and `glab api` alike. */
const known = {
  api: ["--hostname", "--method", "-X", "--header", "-H", "--input", "--field", "-F", "--raw-field", "-f"],
  auth: ["--hostname"],
};

function end(code, stderr = "", stdout = "") {
  appendFileSync(join(folder, "calls.jsonl"), `${JSON.stringify(call)}\n`);
  process.stderr.write(stderr === "" ? "" : `${stderr}\n`);
  process.stdout.write(stdout);
  process.exitCode = code;
}

function readWords() {
  const [command, ...rest] = words;
  if (known[command] === undefined) return `unknown command "${command}" for "${tool}"`;
  const flags = {};
  const plain = [];
  for (let at = 0; at < rest.length; at += 1) {
    if (!rest[at].startsWith("-")) plain.push(rest[at]);
    else if (!known[command].includes(rest[at])) return `unknown flag: ${rest[at]}`;
    else if (rest[at + 1] === undefined) return `flag needs an argument: ${rest[at]}`;
    else {
      flags[rest[at]] = rest[at + 1];
      at += 1;
    }
  }
  if (command === "auth" ? plain.join() !== "status" : plain.length !== 1)
    return `accepts 1 arg(s), received ${plain.length}`;
  if (plain[0].includes(":") || plain[0].includes("{")) return "unable to expand placeholder in path";
  return { command, flags, endpoint: plain[0] };
}

function answer({ command, flags, endpoint }) {
  const host = flags["--hostname"] ?? (tool === "gh" ? "github.com" : "gitlab.com");
  if (command === "auth") return state.logins.includes(host) ? end(0, `Logged in to ${host}`) : end(1, "not logged in");
  if (!state.logins.includes(host))
    return tool === "gh"
      ? end(4, "To get started with GitHub CLI, please run:  gh auth login")
      : end(1, "glab: 401 Unauthorized (HTTP 401)");
  const method = flags["--method"] ?? (flags["--input"] === undefined ? "GET" : "POST");
  if (flags["--input"] === "-") call.input = JSON.parse(readFileSync(0, "utf8"));
  const found = (tool === "gh" ? github : gitlab)(method, new URL(endpoint, `https://${host}/`), call.input ?? {});
  if (typeof found === "string")
    return end(1, `${tool}: ${found}`, JSON.stringify({ message: found, errors: [{ message: state.refuses }] }));
  writeFileSync(file, JSON.stringify(state));
  return end(0, "", JSON.stringify(found));
}

const page = (host, pull) => `https://${host}/acme/app/pull/${pull.number}`;

function github(method, { pathname, searchParams, host }, input) {
  const issue = /^\/repos\/acme\/([\w-]+)\/issues\/(\d+)$/.exec(pathname);
  if (issue !== null) return state.issues[issue[2]] ?? "Not Found (HTTP 404)";
  if (pathname === "/repos/acme/app" || pathname === "/repos/acme/old-name")
    return { full_name: "acme/app", default_branch: "main" };
  const one = /^\/repos\/acme\/app\/pulls(?:\/(\d+))?$/.exec(pathname);
  if (one === null) return "Not Found (HTTP 404)";
  if (method === "GET") {
    const head = searchParams.get("head");
    return state.pulls.filter((pull) => pull.owner + pull.head.ref === head).reverse();
  }
  if (method === "POST") {
    if (state.refuses !== undefined || input.body.length > 65_536) return "Validation Failed (HTTP 422)";
    const number = state.pulls.length + 1;
    const pull = {
      number,
      state: "open",
      merged_at: null,
      ...input,
      head: { ref: input.head, sha: null },
      base: { ref: input.base },
    };
    state.pulls.push({ ...pull, owner: "acme:", html_url: page(host, pull) });
    return state.pulls.at(-1);
  }
  const pull = method === "PATCH" ? state.pulls.find(({ number }) => number === Number(one[1])) : undefined;
  return pull === undefined ? "Not Found (HTTP 404)" : Object.assign(pull, input, { base: { ref: input.base } });
}

function gitlab(method, { pathname, searchParams, host }, input) {
  const issue = /^\/projects\/group%2Fsub%2Fapp\/issues\/(\d+)$/.exec(pathname);
  if (issue !== null) return state.issues[issue[1]] ?? "404 Not Found (HTTP 404)";
  if (pathname === "/projects/group%2Fsub%2Fapp") return { id: 7, default_branch: "main" };
  const one = /^\/projects\/7\/merge_requests(?:\/(\d+))?$/.exec(pathname);
  if (one === null) return "404 Not Found (HTTP 404)";
  if (method === "GET")
    return state.pulls.filter((each) => each.source_branch === searchParams.get("source_branch")).reverse();
  const marked = { ...input, draft: input.title.startsWith("Draft: ") };
  if (method === "POST") {
    const iid = state.pulls.length + 1;
    const web_url = `https://${host}/group/sub/app/-/merge_requests/${iid}`;
    state.pulls.push({ iid, web_url, state: "opened", merged_at: null, sha: null, source_project_id: 7, ...marked });
    return state.pulls.at(-1);
  }
  const merge = method === "PUT" ? state.pulls.find(({ iid }) => iid === Number(one[1])) : undefined;
  return merge === undefined ? "404 Not Found (HTTP 404)" : Object.assign(merge, marked);
}

const read = readWords();
if (typeof read === "string") end(1, read);
else answer(read);
