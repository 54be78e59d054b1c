import { randomBytes } from 'node:crypto';

/** Never reused, so that clearing a card clears no other. Contains the picture's hash. 60 characters of up to 64. `turns`: one of several pages. */
export function newCardId(hash: string, turns = false): string {
  return `${turns ? 'page' : 'card'}-${Buffer.from(hash, 'hex').toString('base64url')}${randomBytes(9).toString('base64url')}`;
}

export function newCountdownSeries(): string {
  return randomBytes(9).toString('base64url');
}

/** Returns the id of a picture of a countdown that has not reached its end, of the same length as `newCardId`. */
export function countdownCardId(hash: string, series: string): string {
  return `down-${Buffer.from(hash, 'hex').toString('base64url')}${series}`;
}

export function seriesOfCard(id: string): string | null {
  return /^down-[\w-]{43}([\w-]{12})$/.exec(id)?.[1] ?? null;
}

export function hashOfCard(id: string): string | null {
  const named = /^(?:card|page|down)-([\w-]{43})[\w-]{12}$/.exec(id)?.[1];
  return named === undefined ? null : Buffer.from(named, 'base64url').toString('hex');
}

/** Returns whether the card is a page: the robot's saved state then has the other ones. */
export function turnsPages(id: string): boolean {
  return id.startsWith('page-') && hashOfCard(id) !== null;
}

/** @param page of a question, from 1 */
export function waitPictureId(number: number, page = 1): string {
  return page === 1 ? `w${number}` : `w${number}p${page}`;
}

/** @param page of an approval, while its answers do not count, from 1 */
export function greyPageId(number: number, page: number): string {
  return `w${number}g${page}`;
}

/** As `waitPictureId`, for an approval whose answers count: a robot-link of 0.10 shows pages without that, under the other ids. */
export function readPageId(number: number, page: number): string {
  return `w${number}r${page}`;
}

export function waitOfPicture(id: string): number | null {
  const number = /^w(\d{1,16})(?:[pgr]\d{1,2})?$/.exec(id)?.[1];
  return number === undefined ? null : Number(number);
}
