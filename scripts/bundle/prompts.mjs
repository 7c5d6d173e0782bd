// The prompt templates of templates/prompts/ as data, so that a pass parses no YAML for them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import matter from "gray-matter";
import { parse } from "yaml";

/** gray-matter runs the front matter of `---js`, so every language but YAML is refused. */
const engines = { yaml: (text) => parse(text), json: refuse, javascript: refuse };

/** `{ phase, title, outputs, self_review, text }`, as its front matter has the keys; not judged. */
export function readPrompt(source) {
  if (!matter.test(source)) throw new Error("a prompt must begin with front matter between two lines of ---");
  // With options, since without any gray-matter hands out one shared object for the same text.
  const { data, content } = matter(source, { engines });
  return { ...data, text: content.replace(/^\n/, "") };
}

/** Every prompt of the folder, by its phase. */
export function readPrompts(root) {
  const folder = join(root, "templates", "prompts");
  const prompts = readdirSync(folder).map((name) => readPrompt(readFileSync(join(folder, name), "utf8")));
  return Object.fromEntries(prompts.map((prompt) => [prompt.phase, prompt]));
}

function refuse() {
  throw new Error("the front matter of a prompt must be YAML");
}
