/** The one rule that says which scopes of its API key a call needs. */
import { actions } from '../actions/index.js';
import { ApiError } from '../base/error.js';
import { keyScopes, type KeyScope, type ScopeNeed } from './key-scope.js';

const ofAction = ({ effect, waits }: (typeof actions)[number]): KeyScope => (waits ? 'ask' : effect.readOnly ? 'read' : 'act');

/** A `Map`, because callers choose the names. */
const withinOthers: ReadonlyMap<string, KeyScope> = new Map(actions.map((action) => [action.name, ofAction(action)]));

const needed: ReadonlyMap<string, readonly ScopeNeed[]> = new Map<string, readonly ScopeNeed[]>([
  ...[...withinOthers].map(([name, scope]) => [name, [scope]] as const),
  ['ask', ['ask or approve']],
  ['stop', ['act']],
  ['robots', ['read']],
  ['screen', ['read']],
  ['activity', ['read']],
  ['waits', ['ask or approve']],
  ['pictures', ['act']],
  // A webhook delivers events for as long as it exists: without `read`, a key would read them through it.
  ['webhooks', ['read', 'act']],
]);

const none: readonly ScopeNeed[] = [];

/**
 * Returns the scopes that a call needs, all of them. Descriptions and previews need none; a scene and a group need those of their actions (`scopesWithin`).
 * @param call name of an action, or the label of a route
 */
export function scopesOf(call: string): readonly ScopeNeed[] {
  return needed.get(call) ?? none;
}

/** Returns the scopes that the actions of a scene or a group need. `approve` is not enough for a question there. */
export function scopesWithin(steps: readonly { action: string }[]): KeyScope[] {
  return keyScopes.filter((scope) => steps.some(({ action }) => withinOthers.get(action) === scope));
}

/** Returns the scopes of the list that meet the needs of a call. */
export function grantableOf(needs: readonly ScopeNeed[]): KeyScope[] {
  return needs.map((need) => (need === 'ask or approve' ? 'ask' : need));
}

function isMet(need: ScopeNeed, has: readonly KeyScope[]): boolean {
  return need === 'ask or approve' ? has.includes('ask') || has.includes('approve') : has.includes(need);
}

/** @throws {ApiError} scope_missing */
export function requireScopes(call: string, needs: readonly ScopeNeed[], has: readonly KeyScope[]): void {
  if (needs.every((need) => isMet(need, has))) return;
  throw scopeMissing(call, needs, has);
}

export function scopeMissing(call: string, needs: readonly ScopeNeed[], has: readonly KeyScope[]): ApiError {
  const missing = needs.filter((need) => !isMet(need, has));
  return new ApiError(
    'scope_missing',
    `This API key may not call ${call}: it lacks the scope ${missing.join(' and ')}; it has ${has.join(' and ')}.`,
  );
}
