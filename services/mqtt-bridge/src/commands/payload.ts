/** A payload that no call to Perch can be made of. The message completes "the payload is wrong: …". */
export class BadPayload extends Error {
  override readonly name = 'BadPayload';
}

/** @throws {BadPayload} if the payload is not a JSON object */
export function objectOf(payload: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(payload);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below, without the text of the payload.
  }
  throw new BadPayload('it must be a JSON object');
}

/** Returns the arguments of an action: those of a JSON object as they are, or a plain text under `name`. @throws {BadPayload} */
export function textArguments<T extends object>(payload: string, name: keyof T): T {
  if (payload.trimStart().startsWith('{')) return objectOf(payload) as T;
  if (payload.trim() === '') throw new BadPayload('it must contain a text');
  return { [name]: payload } as T;
}

/** @throws {BadPayload} if the payload is not a number; its bounds are those of the action, which Perch checks */
export function numberOf(payload: string): number {
  const value = payload.trim() === '' ? NaN : Number(payload);
  if (!Number.isFinite(value)) throw new BadPayload('it must be a number');
  return value;
}

/** @throws {BadPayload} */
export function choiceOf<const C extends string>(payload: unknown, choices: readonly C[]): C {
  const chosen = choices.find((choice) => choice === payload);
  if (chosen === undefined) throw new BadPayload(`it must be one of ${choices.join(', ')}`);
  return chosen;
}
