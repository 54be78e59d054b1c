/** The public keys in a robot program: the robot accepts updates that one of them has signed. */

export const keysPath = 'perch/keys.py';
const keyForm = /^[0-9a-f]{64}$/;
const assignment = /^KEYS = \(([^)]*)\)$/m;

/** Returns the text of a file of the program, with these keys in the file that has them. Without keys, as it was. */
export function withKeys(path: string, text: string, keys: readonly string[]): string {
  if (path !== keysPath || keys.length === 0) return text;
  if (!assignment.test(text)) throw new Error(`${keysPath} has no KEYS`);
  if (!keys.every((key) => keyForm.test(key))) throw new Error('a public key has 64 hexadecimal digits');
  // Shorter lines than flake8's 79 columns.
  const lines = keys.flatMap((key) => [`    "${key.slice(0, 32)}"`, `    "${key.slice(32)}",`]);
  return text.replace(assignment, `KEYS = (\n${lines.join('\n')}\n)`);
}

/** @param text with the text of the file in it */
export function keysIn(text: string): string[] {
  const found = assignment.exec(text)?.[1] ?? '';
  return found.split(',').flatMap((one) => {
    const key = one.replace(/[\s"]/g, '');
    return keyForm.test(key) ? [key] : [];
  });
}
