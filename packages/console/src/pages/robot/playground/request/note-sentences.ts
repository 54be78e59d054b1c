/** Returns sentences on what the person at the robot does not see as it was sent, from an answer of the service. */
export function noteSentences(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  const { results, ...notes } = body as Record<string, unknown>;
  return [
    ...sentence('Cut on the screen', notes['truncated'], ', '),
    ...sentence('Missing from the fonts', notes['missing'], ' '),
    ...sentence('Shown differently than sent', notes['adjusted'], ', '),
    ...(Array.isArray(results) ? results.flatMap((result, i) => noteSentences(result).map((text) => `actions[${i}]: ${text}`)) : []),
  ];
}

/** Returns where an action of the queue is, or null for any other answer. */
export function queueSentence(body: unknown): string | null {
  const { queued, place, outcome } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  if (queued !== true) return null;
  if (typeof place === 'number') return `At place ${place} in the robot's queue. It is shown when its turn comes.`;
  return outcome === 'pending' ? null : 'It left the queue before its turn and was never shown.';
}

function sentence(what: string, named: unknown, separator: string): string[] {
  return Array.isArray(named) && named.length > 0 ? [`${what}: ${named.map(String).join(separator)}`] : [];
}
