import { refuses } from "./arrange.ts";

refuses([
  [
    "models: [{ name: a, adapter: replay }]",
    "TP_CONFIG_VALUE 1:21 `models[1]` (a) has the adapter replay but no `recordings` → add `recordings:`",
  ],
  [
    "models: [{ name: a, adapter: command }]",
    "TP_CONFIG_VALUE 1:21 `models[1]` (a) has the adapter command but no `command` → add `command:`",
  ],
  [
    "models: [{ name: a, adapter: command, command: [x], recordings: r }]",
    "TP_CONFIG_VALUE 1:53 `models[1]` (a) has a `recordings`, which the adapter command does not use → remove the key",
  ],
  [
    "models: [{ name: a, adapter: replay, recordings: r, prompt: stdin }]",
    "TP_CONFIG_VALUE 1:53 `models[1]` (a) has a `prompt`, which the adapter replay does not use → remove the key",
  ],
  [
    "models: [{ name: a, adapter: claude, command: [claude], prompt: stdin, recordings: r }]",
    "TP_CONFIG_VALUE 1:38 `models[1]` (a) has a `command`, which the adapter claude does not use → remove the key",
    "TP_CONFIG_VALUE 1:57 `models[1]` (a) has a `prompt`, which the adapter claude does not use → remove the key",
    "TP_CONFIG_VALUE 1:72 `models[1]` (a) has a `recordings`, which the adapter claude does not use → remove the key",
  ],
  [
    "models: [{ name: a, adapter: pi }, { name: a, adapter: pi }]",
    "TP_CONFIG_VALUE 1:38 `models[2]` (a) has the same name as another model → give each model its own name",
  ],
  [
    "models: [{ name: a, adapter: pi, args: [--mode=text], tiers: { cheap: { args: [--model, b, -r] } } }]",
    "TP_CONFIG_VALUE 1:41 `models[1]` (a) must not have `--mode` in `args`: it changes what the CLI prints, and the runner has to read that → remove it",
    "TP_CONFIG_VALUE 1:92 `models[1]` (a) must not have `-r` in `tiers.cheap.args`: it continues an earlier session, and each pass needs its own → remove it",
  ],
]);
