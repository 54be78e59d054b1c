/**
 * Reads the pictures on robots' screens, and keeps the one on each card layer while it shows; others expire a minute after their last use, those of
 * questions with their waits. It is copied once it has shown for a while, one copy a robot, outside the path of actions, while half of the account's
 * quota is free.
 */
import type { PictureNotes, PictureRef } from '@perch/schema';
import { storedPlaces, type AccountStorage } from '../accounts/account-storage.js';
import type { Waits } from '../calls/waits.js';
import { robotKeys } from '../redis/keys.js';
import type { Media } from '../media/media.js';
import { guarded } from '../redis/errors.js';
import type { Connections } from '../redis/connections.js';
import { randomBytes } from 'node:crypto';

/** Time after which a copy expires unless it is renewed: the robot may be away, or show something else by now. */
export const cardTtlMs = 3 * 24 * 3600 * 1000;
const cardBytesMax = 256 * 1024;
/** Longer than the first line of a copy: its texts, and notes that name at most the characters that fit on the screen, with a few marks each. */
const headBytes = 16 * 1024;

export interface ScreenPicture {
  format: PictureRef['format'];
  /** Absent if nothing was cut or changed in the picture. */
  notes?: PictureNotes;
  /** Texts of a card, for people who do not see it. Absent: it has none, or a renderer of 0.10 drew it. */
  says?: string;
  bytes: Buffer;
}

type CardHead = Omit<ScreenPicture, 'bytes'> & { id: string };

export class ScreenPictures {
  readonly #redis: Connections;
  readonly #media: Media;
  readonly #waits: Waits;
  readonly #storage: AccountStorage;

  constructor(redis: Connections, media: Media, waits: Waits, storage: AccountStorage) {
    this.#redis = redis;
    this.#media = media;
    this.#waits = waits;
    this.#storage = storage;
  }

  /**
   * Copies a card's picture, or renews its copy; deletes the former card's copy in any case. Returns false if there is none: the picture has expired
   * or is too large, the account has too little storage, or another session holds the robot. @throws {StoreError}
   */
  async keep(holder: { robot: string; session: string; account: string }, id: string): Promise<boolean> {
    const { robot, session, account } = holder;
    const key = robotKeys.card(robot);
    const [start, former] = await guarded(() =>
      Promise.all([this.#redis.commands.getrangeBuffer(key, 0, headBytes - 1), this.#redis.commands.strlen(key)]),
    );
    if (this.#headOf(start)?.id === id) {
      const renewed = (await guarded(() => this.#redis.commands.pexpire(key, cardTtlMs))) === 1;
      if (renewed) this.#storage.noteReplaced(account, storedPlaces.card(robot), former, former, cardTtlMs);
      return renewed;
    }
    const found = await this.find(account, robot, id);
    if (found === null || found.bytes.length > cardBytesMax || !this.#storage.isHalfFree(account)) {
      if (former > 0) await this.drop(holder);
      return false;
    }
    const { bytes, ...picture } = found;
    const head: CardHead = { id, ...picture };
    const copy = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes]);
    const kept = await this.#redis.script('leaseSave', [robotKeys.lease(robot), key], [session, copy, cardTtlMs]);
    if (kept === 1) this.#storage.noteReplaced(account, storedPlaces.card(robot), former, copy.length, cardTtlMs);
    return kept === 1;
  }

  /** Deletes the copy, unless another session holds the robot. @throws {StoreError} when Redis does not answer */
  async drop({ robot, session, account }: { robot: string; session: string; account: string }): Promise<void> {
    const key = robotKeys.card(robot);
    const former = await guarded(() => this.#redis.commands.strlen(key));
    const dropped = await this.#redis.script('leaseSave', [robotKeys.lease(robot), key], [session, '', 0]);
    if (dropped === 1) this.#storage.noteReplaced(account, storedPlaces.card(robot), former, 0);
  }

  /** Finds a picture on the robot's screen: the drawn one (up to a minute old) or its copy. Null: none, or not an id of ours. @throws {StoreError} */
  async read(account: string, robot: string, id: string): Promise<ScreenPicture | null> {
    return (await this.find(account, robot, id)) ?? (await this.#copyOf(robot, id));
  }

  async find(account: string, robot: string, id: string): Promise<ScreenPicture | null> {
    const found = await this.#pictureOf(account, robot, id);
    const bytes = found === null ? null : await this.#media.read(found.picture);
    if (found === null || bytes === null) return null;
    const { format, notes } = found.picture;
    return { format, ...(notes !== undefined && { notes }), ...(found.says !== undefined && { says: found.says }), bytes };
  }

  async #pictureOf(account: string, robot: string, id: string): Promise<{ picture: PictureRef; says?: string } | null> {
    const wait = waitOfPicture(id);
    if (wait !== null) {
      const record = (await this.#waits.read(robot, wait))?.record;
      const pages = record?.pages ?? [];
      const read = pages.find((_, i) => id === readPageId(wait, ((i + 1) % pages.length) + 1));
      const page = read ?? [...(record?.greyPages ?? []), ...pages].find((each) => each.id === id);
      const picture = page?.picture ?? record?.picture;
      return picture ? { picture } : null;
    }
    const hash = hashOfCard(id);
    if (hash === null) return null;
    // 0: reading does not extend the picture's lifetime.
    const { ref, ...beside } = await this.#media.findResult(account, hash, 0);
    if (ref?.kind !== 'picture') return null;
    return { picture: ref, ...('says' in beside && { says: beside.says }) };
  }

  async #copyOf(robot: string, id: string): Promise<ScreenPicture | null> {
    const copy = await guarded(() => this.#redis.commands.getBuffer(robotKeys.card(robot)));
    const head = copy === null ? null : this.#headOf(copy);
    if (copy === null || head?.id !== id) return null;
    const { id: _, ...picture } = head;
    return { ...picture, bytes: copy.subarray(copy.indexOf('\n') + 1) };
  }

  #headOf(copy: Buffer): CardHead | null {
    const end = copy.indexOf('\n');
    return end === -1 ? null : this.#redis.forms.read<CardHead>('robot_card', copy.toString('utf8', 0, end));
  }
}

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

function hashOfCard(id: string): string | null {
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
