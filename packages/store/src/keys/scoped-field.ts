/**
 * Scopes in Redis: a letter each. The record of a key without some scope has them in `scoped`, with its robots; its `robots` names none, so that a
 * reader without scopes refuses the key every robot.
 */
import { keyScopes, type KeyScope } from '@perch/schema/plain';

const letters: Readonly<Record<KeyScope, string>> = { read: 'r', act: 'a', ask: 'k' };

export const noRobots = ',';

export function lettersOf(scopes: readonly KeyScope[]): string {
  let text = '';
  for (const scope of scopes) text += letters[scope];
  return text;
}

export function scopesOfLetters(text: string): KeyScope[] {
  return keyScopes.filter((scope) => text.includes(letters[scope]));
}

/** Fields of a record. @param robots as the field `robots` of a key with all scopes */
export function reachFields(scopes: readonly KeyScope[], robots: string): { robots: string; scoped?: string } {
  return keyScopes.every((scope) => scopes.includes(scope)) ? { robots } : { robots: noRobots, scoped: `${lettersOf(scopes)} ${robots}` };
}

export function reachOf(record: Readonly<Record<string, string>>): { robots: string; scopes: readonly KeyScope[] } {
  const { robots = noRobots, scoped } = record;
  if (scoped === undefined) return { robots, scopes: keyScopes };
  const [text = '', own = noRobots] = scoped.split(' ');
  return { robots: own, scopes: scopesOfLetters(text) };
}

/** Commas around each robot let the script find one without parsing. */
export function robotsField(robots: '*' | string[]): string {
  return robots === '*' ? '*' : `,${robots.join(',')},`;
}

export function robotsOf(field: string): '*' | string[] {
  return field === '*' ? '*' : field.split(',').filter((robot) => robot !== '');
}
