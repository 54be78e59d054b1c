/** The code on a robot's screen: 8 letters, printed as XXXX-XXXX. */

const length = 8;
const half = 4;

/** Formats typed text as the robot shows the code: upper case, with a dash. */
export function formatCode(typed: string): string {
  const letters = typed
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .slice(0, length);
  return letters.length > half ? `${letters.slice(0, half)}-${letters.slice(half)}` : letters;
}

export function isComplete(code: string): boolean {
  return code.replace('-', '').length === length;
}
