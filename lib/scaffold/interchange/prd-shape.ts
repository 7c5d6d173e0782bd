import { TaskPhaseError } from "../../text/errors.ts";
import { errorFinding, type Finding, type FindingPlace } from "../../text/finding.ts";
import { placeOf } from "../../text/redact.ts";
import { shorten } from "../../text/shorten.ts";
import { type JsonNode, memberOf } from "./json-text.ts";
import { readerOf, type Say } from "./object-reader.ts";
import type { JsonFile } from "./read-source.ts";
import { type Claim, findLikeStories, findStoryList, memberNamed } from "./story-keys.ts";

/** A prd.json, or a list of tasks or features of another tool. What it says beyond this stays in its text. */
export interface Prd {
  readonly source: JsonFile;
  /** `project` of the plain form, `name` of the other. */
  readonly project: string | null;
  readonly description: string | null;
  readonly branchName: string | null;
  readonly verificationCommands: readonly (readonly [name: string, line: string])[];
  readonly stories: readonly Story[];
  /** The word of the file for a claim that it makes in words. */
  word(passes: boolean): string;
  /** Further lists of the file, which were not read. */
  readonly leftOut: readonly string[];
}

export interface Story {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly criteria: readonly string[];
  /** 1 comes first; null if it is not said. */
  readonly priority: number | null;
  /** The claim of the file. */
  readonly passes: boolean;
  /** Null only in a story that is refused. */
  readonly claim: Claim | null;
  readonly notes: string | null;
  readonly completionNotes: string | null;
  readonly labels: readonly string[];
  readonly dependsOn: readonly string[];
  readonly node: JsonNode;
  /** The place of the value of a key, and of an item in it; the story itself without that key. */
  place(key: string, item?: number): FindingPlace;
}

const mostStories = 1_000;
const mostFindings = 20;

/** Reads the shape; throws a data error with what is wrong, each with its JSON path and its place. */
export function readPrd(source: JsonFile): Prd {
  const problems: Finding[] = [];
  const locate = (node: { readonly start: number }) => ({ file: source.file, ...placeOf(source.text, node.start) });
  const say: Say = (node, message, fix) => {
    problems.push(errorFinding("TP_PRD_SHAPE", message, { ...locate(node), fix }));
  };
  const found = findStoryList(source.root);
  const root = readerOf(found?.holder ?? source.root, found?.list === source.root ? null : "", say);
  const path = found?.path ?? "";
  const shown = path === "" ? "the list" : path;
  const list = found?.list;
  if (list === undefined) root.missing("userStories", "a list of stories", hintOfStories(source, locate));
  else if (list.kind !== "array") root.wrong(list, shown, "a list of stories");
  const items = list?.kind === "array" ? list.items : [];
  if (list?.kind === "array" && items.length === 0) say(list, `${shown} is an empty list`, "add a story");
  if (items.length > mostStories)
    say(source.root, `${shown} has ${items.length} stories; the limit is ${mostStories}`, "split the file");
  const noIds =
    path !== "userStories" && items.every((item) => item.kind === "object" && memberOf(item, "id") === null);
  const stories = items.map((node, index): Story => {
    const story = readerOf(node, `${path}[${index}]`, say);
    const described = ["description", "details", "testStrategy"].flatMap((key) => story.text(key) ?? []);
    const claim = story.claim();
    return {
      id: noIds ? `F-${index + 1}` : story.id(),
      title: story.text("title", described.length === 0) ?? shorten(described[0]?.trim().split("\n")[0] ?? "", 80),
      description: described.length === 0 ? null : described.join("\n\n"),
      criteria: story.texts("acceptanceCriteria"),
      priority: story.priority(),
      passes: claim?.passes ?? false,
      claim,
      notes: story.text("notes"),
      completionNotes: story.text("completionNotes"),
      labels: story.texts("labels"),
      dependsOn: story.ids("dependsOn"),
      node,
      place: (key, item) => {
        const value = memberNamed(node, key)?.value;
        return locate((value?.kind === "array" && item !== undefined ? value.items[item] : value) ?? node);
      },
    };
  });
  const prd: Prd = {
    source,
    project: root.text("project") ?? root.text("name"),
    description: root.text("description"),
    branchName: root.text("branchName"),
    verificationCommands: root.commands("verificationCommands"),
    stories,
    word: (passes) =>
      stories.find(({ claim }) => claim?.passes === passes)?.claim?.word ?? (passes ? "done" : "pending"),
    leftOut: found?.leftOut ?? [],
  };
  if (problems.length === 0) return prd;
  const rest = problems.length - mostFindings;
  const more = rest > 0 ? [errorFinding("TP_PRD_SHAPE", `and ${rest} more of this kind`, { file: source.file })] : [];
  throw new TaskPhaseError("data", [...problems.slice(0, mostFindings), ...more]);
}

/** Where a list with another name is; null if there is none. */
function hintOfStories({ root }: JsonFile, locate: (node: JsonNode) => FindingPlace): string | null {
  const like = findLikeStories(root);
  if (like === null) return null;
  return `${shorten(like.path)} in line ${locate(like.list).line} looks like stories: move that list under "userStories"`;
}
