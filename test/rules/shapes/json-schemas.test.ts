import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { renderConfigFile } from "../../../lib/documents/templates/render-task-files.ts";
import { projectRoot } from "../../cli/arrange.ts";

const script = path.join(projectRoot, "scripts", "json-schemas.mjs");
const { makeSchemas } = (await import(pathToFileURL(script).href)) as { makeSchemas(): Record<string, string> };
const folder = path.join(projectRoot, "schemas");

test("schemas/ is what the schemas of the program make, and nothing else", () => {
  const there = readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), "utf8")] as const);
  assert.deepEqual(Object.fromEntries(there), makeSchemas(), "out of date: node scripts/json-schemas.mjs");
});

test("every definition that a JSON Schema refers to is in its file, and no other", () => {
  for (const [name, text] of Object.entries(makeSchemas())) {
    const referred = new Set([...text.matchAll(/"#\/\$defs\/(\w+)"/g)].map((match) => match[1]));
    const { $defs = {} } = JSON.parse(text) as { $defs?: object };
    assert.deepEqual(new Set(Object.keys($defs)), referred, name);
  }
});

test("a required key of the program is a required key of the JSON Schema, and a described one is described there", () => {
  const pass = JSON.parse(makeSchemas()["pass.schema.json"] ?? "") as {
    required: string[];
    properties: Record<string, { description?: string; required?: string[] }>;
  };
  assert.ok(pass.required.includes("decision") && pass.required.length === Object.keys(pass.properties).length);
  assert.equal(pass.properties.before?.description, "the last accepted STATE.md");
  assert.ok(pass.properties.facts?.required?.includes("matrix"));
});

test("the schemas of what people write offer each key with its words, and a new task-phase.yaml names its own", () => {
  interface Written {
    readonly required: string[];
    readonly properties: Readonly<Record<string, unknown>>;
  }
  const [brief, config] = ["brief", "config"].map((name) => JSON.parse(makeSchemas()[`${name}.schema.json`] ?? ""));
  const { required, properties } = brief as Written;
  const check = {
    name: { type: "string" },
    command: { type: "array", items: { type: "string" } },
    timeout: { type: ["string", "number"] },
    required: { type: "boolean" },
    expect: {
      type: "object",
      properties: { min_tests: { type: "number" }, output: { type: "string" } },
      required: [],
      additionalProperties: false,
    },
  };
  assert.deepEqual(required, ["id", "title"]);
  assert.deepEqual(
    [properties.advance, properties.validators],
    [
      { enum: ["auto", "never"] },
      {
        type: "array",
        items: { type: "object", properties: check, required: ["name", "command"], additionalProperties: false },
      },
    ],
  );
  assert.deepEqual((config as Written).properties.sandbox, { anyOf: [{ enum: ["none", "bwrap"] }, { type: "null" }] });
  // What `init` writes names it, with the version that wrote the file.
  const { version } = JSON.parse(readFileSync(path.join(projectRoot, "package.json"), "utf8")) as { version: string };
  assert.equal(
    renderConfigFile([]).split("\n")[0],
    `# yaml-language-server: $schema=https://unpkg.com/task-phase@${version}/schemas/config.schema.json`,
  );
});
