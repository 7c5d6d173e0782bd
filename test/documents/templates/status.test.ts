import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMarkdown } from "../../../lib/documents/markdown.ts";
import { renderTemplate } from "../../../lib/documents/templates/render-template.ts";
import { hostileTexts } from "./hostile.ts";

const shape = (text: string) =>
  parseMarkdown(
    renderTemplate("status.md", {
      ...{ id: `x ${text}`, title: `x ${text}`, time: "2026-01-02T03:04:05.000Z", phase: "verify" },
      running: { pass: "1, started in verify", stage: "EXEC", model: `x ${text}`, elapsed: "5s" },
      ...{ run: `x ${text}`, passes: "1 of 20", repairs: "0 of 5", failures: 0, timeouts: 0, spent: "$0.10" },
      ...{ tokens: 0, passTime: "5s", last: `x ${text}`, tickets: [`x ${text}`, "y"], stages: ["EXEC: now, 5s"] },
      tails: [{ name: "stdout.log", text: `x\n${text}\ny` }],
    }),
  ).children.map((node) => [node.type, node.type === "list" ? node.children.length : 1]);

test("status.md keeps its sections, items and the fence of each output with hostile ids, models and tickets", () => {
  for (const text of hostileTexts) {
    assert.deepEqual(
      shape(text),
      [
        ["heading", 1],
        ["paragraph", 1],
        ["list", 15],
        ["heading", 1],
        ["list", 2],
        ["heading", 1],
        ["list", 1],
        ["heading", 1],
        ["code", 1],
      ],
      text,
    );
  }
});
