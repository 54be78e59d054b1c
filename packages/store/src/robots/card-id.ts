import { randomBytes } from 'node:crypto';

/**
 * Returns a unique id for a picture on the card layer. It is never reused, so that clearing a card by id cannot clear another one.
 * It contains the picture's hash, by which the picture can be found. 60 characters; a layer's id has at most 64.
 * @param turns the picture is one of several pages that the robot-link turns
 */
export function newCardId(hash: string, turns = false): string {
  return `${turns ? 'page' : 'card'}-${Buffer.from(hash, 'hex').toString('base64url')}${randomBytes(9).toString('base64url')}`;
}

/** Returns a name that the pictures of one countdown share. */
export function newCountdownSeries(): string {
  return randomBytes(9).toString('base64url');
}

/** Returns the id of a picture of a countdown that has not reached its end, of the same length as `newCardId`. */
export function countdownCardId(hash: string, series: string): string {
  return `down-${Buffer.from(hash, 'hex').toString('base64url')}${series}`;
}

/** Returns the series of a countdown's picture; null for an id of another form. */
export function seriesOfCard(id: string): string | null {
  return /^down-[\w-]{43}([\w-]{12})$/.exec(id)?.[1] ?? null;
}

/** Returns the hash of a card's picture; null for an id of another form. */
export function hashOfCard(id: string): string | null {
  const named = /^(?:card|page|down)-([\w-]{43})[\w-]{12}$/.exec(id)?.[1];
  return named === undefined ? null : Buffer.from(named, 'base64url').toString('hex');
}

/** Returns whether the card is a page: the robot's saved state then has the other ones. */
export function turnsPages(id: string): boolean {
  return id.startsWith('page-') && hashOfCard(id) !== null;
}

/** Returns the number of the wait that shows a picture; null for an id of another form. */
export function waitOfPicture(id: string): number | null {
  const number = /^w(\d{1,16})$/.exec(id)?.[1];
  return number === undefined ? null : Number(number);
}
