import { type JsonMember, type JsonNode, memberOf } from "./json-text.ts";

/** What other tools call the keys of a prd.json: task lists, feature lists, task-master's tasks.json. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  title: ["name"],
  acceptanceCriteria: ["acceptance_criteria", "criteria", "steps", "subtasks"],
  dependsOn: ["depends_on", "dependencies"],
  labels: ["tags"],
};
const listNames = ["userStories", "user_stories", "stories", "tasks", "features"];

/** The entry of this key, or of the first other name that the object has for it. */
export function memberNamed(node: JsonNode, key: string): JsonMember | null {
  for (const name of [key, ...(otherNames[key] ?? [])]) {
    const member = memberOf(node, name);
    if (member !== null) return member;
  }
  return null;
}

export interface StoryList {
  /** As a message names it; empty for a list that is the whole file. */
  readonly path: string;
  readonly list: JsonNode;
  /** The object that holds it, with what the file says of its project. */
  readonly holder: JsonNode;
  /** The keys of further lists, such as other tags of task-master. */
  readonly leftOut: readonly string[];
}

/** The list of stories: the file itself, under one of its names, in `prd`, or in a tag, of which `master` comes first. */
export function findStoryList(root: JsonNode): StoryList | null {
  if (root.kind === "array") return { path: "", list: root, holder: root, leftOut: [] };
  const own = listIn(root, "");
  if (own !== null || root.kind !== "object") return own;
  const inside = root.members.flatMap(({ key, value }) => listIn(value, `${key}.`) ?? []);
  const known = ["prd.", "master."].flatMap((key) => inside.find(({ path }) => path.startsWith(key)) ?? []);
  const [first] = [...known, ...inside];
  if (first === undefined) return null;
  return { ...first, leftOut: inside.filter((one) => one !== first).map(({ path }) => path) };
}

function listIn(node: JsonNode, before: string): StoryList | null {
  const members = listNames.flatMap((name) => memberOf(node, name) ?? []);
  const found = members.find(({ value }) => value.kind === "array") ?? members[0];
  return found === undefined ? null : { path: before + found.key, list: found.value, holder: node, leftOut: [] };
}

const storyKeys = ["id", "title", "description", "passes", "status", "acceptanceCriteria", "priority", "dependsOn"];

/** Where else in the file there is a list whose items have the most keys of a story; null if none has two. */
export function findLikeStories(root: JsonNode): { readonly path: string; readonly list: JsonNode } | null {
  const found: { path: string; list: JsonNode; score: number }[] = [];
  visit(root, "");
  const [best] = found.sort((one, other) => other.score - one.score);
  return best ?? null;

  function visit(node: JsonNode, path: string): void {
    if (node.kind === "object")
      for (const { key, value } of node.members) visit(value, path === "" ? key : `${path}.${key}`);
    if (node.kind !== "array") return;
    const [first] = node.items;
    const score = first === undefined ? 0 : storyKeys.filter((key) => memberNamed(first, key) !== null).length;
    if (score >= 2) found.push({ path, list: node, score });
    for (const [index, item] of node.items.entries()) visit(item, `${path}[${index}]`);
  }
}

/** Whether a story is done by its own word. `node` is the value that says so. */
export interface Claim {
  readonly node: JsonNode;
  readonly passes: boolean;
  /** Of `status`; null if the claim is true or false. */
  readonly word: string | null;
}

/** What the story says of itself by other means than `passes`; null if nothing. */
export function otherClaim(story: JsonNode): Claim | null {
  const status = memberOf(story, "status")?.value;
  if (status?.kind === "text")
    return { node: status, passes: /^(?:done|completed?|closed|finished)$/i.test(status.value), word: status.value };
  for (const key of ["done", "completed"]) {
    const value = memberOf(story, key)?.value;
    if (value?.kind === "boolean") return { node: value, passes: value.value, word: null };
  }
  return null;
}

const ranks = ["critical", "high", "medium", "low"];

/** A priority in words, as a number of which 1 comes first; null if it is none. */
export function rankOf(word: string): number | null {
  const place = ranks.indexOf(word.toLowerCase());
  const numbered = /^p(\d)$/i.exec(word)?.[1];
  return place >= 0 ? place + 1 : numbered === undefined ? null : Number(numbered);
}
