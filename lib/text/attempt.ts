import { TaskPhaseError } from "./errors.ts";
import { type Finding, warningFinding } from "./finding.ts";

/** The result of `act`; `instead` if it throws, whatever it throws. */
export function orElse<Value, Other>(act: () => Value, instead: Other): Value | Other {
  try {
    return act();
  } catch {
    return instead;
  }
}

/** The result of `act`; that of `instead` if it throws an error that was foreseen. Any other is thrown. */
export function catchForeseen<Value, Other>(
  act: () => Value,
  instead: (error: TaskPhaseError) => Other,
): Value | Other {
  try {
    return act();
  } catch (error) {
    if (error instanceof TaskPhaseError) return instead(error);
    throw error;
  }
}

/** Like `orElse`, but only for an error that was foreseen. Any other is thrown. */
export function orIfForeseen<Value, Other>(act: () => Value, instead: Other): Value | Other {
  return catchForeseen(act, () => instead);
}

/** Like `catchForeseen`, for an error of the promise. */
export async function catchForeseenIn<Value, Other>(
  act: () => Promise<Value>,
  instead: (error: TaskPhaseError) => Other,
): Promise<Value | Other> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof TaskPhaseError) return instead(error);
    throw error;
  }
}

/** The findings of a foreseen error of `act` as warnings, since what `act` does can be left out. */
export function warningsOf(act: () => void): Finding[] {
  return catchForeseen(
    () => {
      act();
      return [];
    },
    ({ findings }) => findings.map((finding) => warningFinding(finding.code, finding.message, finding)),
  );
}
