import { register } from "node:module";

// Loaded with --import before a night in memory: its programs are functions. The query may name a planted fault.
const fault = new URL(import.meta.url).searchParams.get("fault");
register("./hooks.js", import.meta.url, { data: { fault } });
