export { findExecutable } from "../process/find-executable.ts";
