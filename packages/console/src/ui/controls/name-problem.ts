/** In Unicode code points, as the service counts them; a test compares it with the schema. */
export const nameCharsMax = 64;

/** @param blank message for a blank name; null: it may be blank @returns what is wrong with the name, or null */
export function nameProblem(typed: string, blank: string | null): string | null {
  const name = typed.trim();
  if (name === '') return blank;
  const chars = [...name].length;
  return chars > nameCharsMax ? `Use at most ${nameCharsMax} characters; this name has ${chars}.` : null;
}
