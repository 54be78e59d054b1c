/**
 * Scopes in Redis: a letter each. The record of a key with other scopes than the default ones has them in `scoped`, with its robots; its `robots` names
 * none, so that a reader without scopes refuses the key every robot.
 */
import { defaultScopes, keyScopes, type KeyScope, type ScopeNeed } from '@perch/schema/plain';

/** 0.10 does not know `p`: its gateways refuse a key with `approve` alone every call that needs a scope. `q` is in no record (key-admit.lua). */
const letters: Readonly<Record<ScopeNeed, string>> = { read: 'r', act: 'a', ask: 'k', approve: 'p', 'ask or approve': 'q' };

export const noRobots = ',';

export function lettersOf(needs: readonly ScopeNeed[]): string {
  let text = '';
  for (const need of needs) text += letters[need];
  return text;
}

export function scopesOfLetters(text: string): KeyScope[] {
  return keyScopes.filter((scope) => text.includes(letters[scope]));
}

/** Fields of a record. @param robots as the field `robots` of a key with the default scopes */
export function reachFields(scopes: readonly KeyScope[], robots: string): { robots: string; scoped?: string } {
  const areDefault = keyScopes.every((scope) => scopes.includes(scope) === defaultScopes.some((each) => each === scope));
  return areDefault ? { robots } : { robots: noRobots, scoped: `${lettersOf(scopes)} ${robots}` };
}

export function reachOf(record: Readonly<Record<string, string>>): { robots: string; scopes: readonly KeyScope[] } {
  const { robots = noRobots, scoped } = record;
  if (scoped === undefined) return { robots, scopes: defaultScopes };
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
