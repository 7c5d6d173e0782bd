/** True if an answer is this word alone. Marks around it and a full stop behind it do not count. */
export function saysWord(answer: string, word: string): boolean {
  return answer.toLowerCase().replace(/^[\s*_`"'“”]+|[\s*_`"'“”.!]+$/g, "") === word;
}
