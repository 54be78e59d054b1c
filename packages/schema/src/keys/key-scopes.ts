/** The one rule that says which scopes of its API key a call needs. */
import { actions } from '../actions/index.js';
import { ApiError } from '../api/error.js';
import { keyScopes, type KeyScope } from './key-scope.js';

const ofAction = ({ effect, waits }: (typeof actions)[number]): KeyScope => (waits ? 'ask' : effect.readOnly ? 'read' : 'act');

/** A `Map`, because callers choose the names. */
const needed: ReadonlyMap<string, readonly KeyScope[]> = new Map<string, readonly KeyScope[]>([
  ...actions.map((action) => [action.name, [ofAction(action)]] as const),
  ['stop', ['act']],
  ['robots', ['read']],
  ['screen', ['read']],
  ['activity', ['read']],
  ['waits', ['ask']],
  ['pictures', ['act']],
  // A webhook delivers events for as long as it exists: without `read`, a key would read them through it.
  ['webhooks', ['read', 'act']],
]);

const none: readonly KeyScope[] = [];

/**
 * Returns the scopes that a call needs, all of them. Descriptions and previews need none; a scene needs those of its steps (`scopesOfScene`).
 * @param call name of an action, or the label of a route
 */
export function scopesOf(call: string): readonly KeyScope[] {
  return needed.get(call) ?? none;
}

export function scopesOfScene(steps: readonly { action: string }[]): KeyScope[] {
  return keyScopes.filter((scope) => steps.some(({ action }) => scopesOf(action).includes(scope)));
}

/** @throws {ApiError} scope_missing */
export function requireScopes(call: string, needs: readonly KeyScope[], has: readonly KeyScope[]): void {
  if (needs.every((scope) => has.includes(scope))) return;
  throw scopeMissing(call, needs, has);
}

export function scopeMissing(call: string, needs: readonly KeyScope[], has: readonly KeyScope[]): ApiError {
  const missing = needs.filter((scope) => !has.includes(scope));
  return new ApiError(
    'scope_missing',
    `This API key may not call ${call}: it lacks the scope ${missing.join(' and ')}; it has ${has.join(' and ')}.`,
  );
}
