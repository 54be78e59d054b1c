/** Returns what its gateway answers a call of one command, for an action with `CallStep.answer`. @param names of numbers of the ack's result */
export function answerOfAck(names: readonly string[], result: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const answer: Record<string, unknown> = { ok: true };
  for (const name of names) answer[name] = typeof result[name] === 'number' ? result[name] : null;
  return answer;
}
