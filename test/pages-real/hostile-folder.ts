import type { TaskEvent } from "../../lib/rules/events.ts";
import { stateFile } from "../cli/task-states.ts";
import { hostileTexts } from "../documents/templates/hostile.ts";
import { hostileTask } from "../pages/hostile-task.ts";
import { paintPng } from "./paint-png.ts";
import type { TaskFolder } from "./task-folder.ts";

const rounds = 4;
const passesOfOne = 7;
const newest = `artifacts/passes/${String(rounds * passesOfOne).padStart(4, "0")}`;

/** Every hostile text in place after place of the events, and in names of files. */
export function hostileFolder(): TaskFolder {
  const made = Array.from({ length: rounds }, (_, round) => eventsOf(round)).flat();
  return {
    name: "T-3",
    title: '</title><script>document.title = "ran"</script> "quoted" \u202egnp.exe',
    dependsOn: ["T-2"],
    events: [...made, { type: "relinked", at: "2026-11-21T12:00:00.000Z", state }],
    files: [
      ...hostileTexts
        .filter(
          (text) =>
            Buffer.from(text).toString() === text &&
            !/[\0/]/.test(text) &&
            Buffer.byteLength(text) < 200 &&
            text.trim() !== "",
        )
        .map((text) => [`artifacts/${text}.txt`, text] as const),
      [Buffer.from("artifacts/no utf-8 \xff\xfe.bin", "latin1"), Buffer.from([0, 1, 2, 0x1b, 0xff])],
      [
        "artifacts/drawing.svg",
        '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>',
      ],
      ["artifacts/not really.png", "<script>alert(1)</script>"],
      ["artifacts/page.html", "<script>alert(1)</script>"],
      [
        'artifacts/" onerror="alert(1).png',
        paintPng(200, 120, [
          [160, 30, 30],
          [250, 240, 240],
        ]),
      ],
      ["artifacts/passes/0001/changes.patch", hostilePatch],
      [`${newest}/task.patch`, hostilePatch],
      [`${newest}/stdout.log`, hostileTexts.join("\n")],
    ],
  };
}

/** Each round begins at another text, so that the places meet others. */
function eventsOf(round: number): TaskEvent[] {
  const from = (round * hostileTexts.length) / rounds;
  const { events } = hostileTask([...hostileTexts.slice(from), ...hostileTexts.slice(0, from)]);
  return events.map((event) =>
    "pass" in event ? ({ ...event, pass: event.pass + round * passesOfOne } as TaskEvent) : event,
  );
}

const hostilePatch = hostileTexts
  .map(
    (text) => `diff --git a/${text} b/${text}\n--- a/${text}\n+++ b/${text}\n@@ -1 +1 @@ ${text}\n-${text}\n+${text}\n`,
  )
  .join("");

const oneLine = (text: string) => text.replace(/[\r\n|\u2028\u2029]/g, " ");

const state = stateFile({
  phase: "repair",
  fields: {
    Objective: oneLine(hostileTexts.slice(0, 12).join(" ")),
    "Current result": oneLine(hostileTexts.slice(-2).join(" ")),
    "Next step": "<img src=x onerror=alert(1)> [text](javascript:alert(1)) `code",
  },
  features: [
    ["<b>Export</b>", "real_working", "[proof](javascript:alert\\(1\\))"],
    ["Export &lt;", "blocked_hidden", "<https://evil.example/>"],
  ],
});
