/** `--name <text>`: what people call a robot or a key. */
import { nameProblem } from '@perch/schema/plain';
import { Refused } from '../refused.js';

/** @returns the name without surrounding blanks @throws {Refused} for a name that the web page refuses, too */
export function nameOption(text: string): string {
  const name = text.trim();
  const problem = nameProblem(name);
  if (problem !== null) throw new Refused(`--name: ${problem}`, 'usage');
  return name;
}
