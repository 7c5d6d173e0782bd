/** Twice what is shown of an answer, at least: if it is cut here, nothing is shown. */
const keptLength = 128 * 1024;

/** The end of an answer that comes in parts, so that memory does not grow with it. */
export function answerEnd(answer: string): string {
  return answer.length > 2 * keptLength ? answer.slice(-keptLength) : answer;
}
