import { register } from "node:module";

// Loaded with --import before claims are played against each other. The query may name a planted fault.
const fault = new URL(import.meta.url).searchParams.get("fault");
register("./hooks.js", import.meta.url, { data: { fault } });
