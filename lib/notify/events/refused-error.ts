import type { TaskContract } from "../../task/load-contract.ts";
import { TaskPhaseError } from "../../text/errors.ts";

/** A task cannot be worked on: a config error that is written to its log.txt and last_error.txt. */
export class RefusedError extends TaskPhaseError {
  /** For the webhook; null if the contract cannot be read. */
  readonly contract: TaskContract | null;
  readonly at: string;
  /** False if this machine said the same last time: cron calls every few minutes. */
  readonly isNews: boolean;

  constructor(error: TaskPhaseError, contract: TaskContract | null, noted: { at: string; isNews: boolean }) {
    super(error.exitName, error.findings, { cause: error });
    this.contract = contract;
    this.at = noted.at;
    this.isNews = noted.isNews;
  }
}
