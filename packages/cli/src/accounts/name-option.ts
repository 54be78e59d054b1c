import { nameProblem } from '@perch/schema/plain';
import { Refused } from '../refused.js';

/** Trims the name. @throws {Refused} for a name that the web console also rejects */
export function nameOption(text: string): string {
  const name = text.trim();
  const problem = nameProblem(name);
  if (problem !== null) throw new Refused(`--name: ${problem}`, 'usage');
  return name;
}
