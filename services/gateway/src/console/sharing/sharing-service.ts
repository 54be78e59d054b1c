/** Sharing of a robot, as its owner and its guests change it. Each method checks that the robot is the account's own, or shared with it. */
import {
  ApiError,
  ConsoleError,
  validatePermission,
  validateShareToken,
  type ConsolePerson,
  type ConsoleShareLink,
  type PeopleAnswer,
  type PersonAnswer,
  type RobotAnswer,
  type ShareLinkAnswer,
  type ShareOfferAnswer,
} from '@perch/schema';
import type { Guest, ShareLink, Store } from '@perch/store';
import type { AuditNote } from '../audit.js';
import { conflictWhenFull } from '../conflict.js';
import { noSuchRobot } from '../robots/no-such-robot.js';
import type { SharedViews } from './shared-views.js';

export class SharingService {
  readonly #store: Pick<Store, 'guests' | 'robots' | 'accounts' | 'endings' | 'clock'>;
  readonly #views: SharedViews;
  readonly #changed: (account: string) => void;

  /** @param changed called with an account whose list of robots changed */
  constructor(store: Pick<Store, 'guests' | 'robots' | 'accounts' | 'endings' | 'clock'>, views: SharedViews, changed: (account: string) => void) {
    this.#store = store;
    this.#views = views;
    this.#changed = changed;
  }

  async people(account: string, robot: string): Promise<PeopleAnswer> {
    const { guests, robots, clock } = this.#store;
    if ((await robots.get(robot))?.account !== account) throw noSuchRobot();
    const found = await guests.of(robot, clock.now());
    return { ok: true, people: found.guests.map(personOf), links: found.links.map(linkViewOf) };
  }

  /** @throws {ApiError} bad_argument with `field`, unknown_robot @throws {ConsoleError} conflict */
  async makeLink(account: string, robot: string, body: unknown): Promise<ShareLinkAnswer> {
    const permission = validatePermission(body);
    const made = await conflictWhenFull(() => this.#store.guests.makeLink(account, robot, permission));
    if (made === null) throw noSuchRobot();
    return { ok: true, link: linkViewOf(made.link), token: made.token };
  }

  async removeLink(account: string, robot: string, link: string): Promise<void> {
    if (!(await this.#store.guests.removeLink(account, robot, link))) throw noSuchLink();
  }

  async change(account: string, robot: string, person: string, body: unknown, note: AuditNote): Promise<PersonAnswer> {
    const permission = validatePermission(body);
    const changed =
      permission === 'use' ? await this.#store.guests.change(account, robot, person, permission) : await this.#end(account, robot, person, true);
    if (changed === null) throw noSuchPerson();
    note.guest = changed.email;
    this.#changed(person);
    return { ok: true, person: personOf(changed) };
  }

  async remove(account: string, robot: string, person: string, note: AuditNote): Promise<void> {
    const removed = await this.#end(account, robot, person);
    if (removed === null) throw noSuchPerson();
    note.guest = removed.email;
    this.#changed(person);
  }

  /** @throws {ApiError} not_found */
  async offer(account: string, body: unknown): Promise<ShareOfferAnswer> {
    const { guests, robots, accounts, clock } = this.#store;
    const offer = await guests.offerOf(validateShareToken(body), clock.now());
    const record = offer === null ? null : await robots.get(offer.robot);
    const owner = record === null ? null : await accounts.get(record.account);
    if (offer === null || record === null || owner === null) throw noSuchOffer();
    const { robot: id, permission } = offer;
    return { ok: true, offer: { robot: { id, name: record.name }, by: owner.email, permission, yours: record.account === account } };
  }

  /** @throws {ApiError} not_found @throws {ConsoleError} conflict */
  async accept(account: string, body: unknown, note: AuditNote): Promise<RobotAnswer> {
    const { guests, accounts } = this.#store;
    const token = validateShareToken(body);
    const guest = await accounts.get(account);
    const accepted = guest === null ? null : await conflictWhenFull(() => guests.accept(token, guest));
    if (guest === null || accepted === null) throw noSuchOffer();
    if (accepted.own) throw new ConsoleError('conflict', 'This robot is your own. Send the link to the person with whom you want to share it.');
    Object.assign(note, { account: accepted.owner, robot: accepted.robot, guest: guest.email } satisfies AuditNote);
    this.#changed(account);
    return { ok: true, robot: await this.#views.one(account, accepted.robot) };
  }

  async leave(account: string, robot: string, note: AuditNote): Promise<void> {
    const { guests, robots } = this.#store;
    const [record, guest] = await Promise.all([robots.get(robot), guests.find(robot, account)]);
    if (guest === null || record === null || (await this.#end(record.account, robot, account)) === null) throw noSuchRobot();
    Object.assign(note, { account: record.account, guest: guest.email } satisfies AuditNote);
    this.#changed(account);
  }

  /** @param watch whether the person may go on watching @returns the person; null when the robot is not the account's, or not shared with them */
  async #end(account: string, robot: string, guest: string, watch = false): Promise<Guest | null> {
    return (await this.#store.endings.end({ reason: 'sharing_ended', account, robot, guest, watch })).guest;
  }
}

function personOf({ account, email, permission, since }: Guest): ConsolePerson {
  return { id: account, email, permission, since: new Date(since).toISOString() };
}

function linkViewOf({ id, permission, expiresAt }: ShareLink): ConsoleShareLink {
  return { id, permission, expires_at: new Date(expiresAt).toISOString() };
}

function noSuchLink(): ApiError {
  return new ApiError('not_found', 'There is no such link; it was used, withdrawn, or has expired.');
}

function noSuchPerson(): ApiError {
  return new ApiError('not_found', 'The robot is not shared with this person, or is not yours.');
}

function noSuchOffer(): ApiError {
  return new ApiError('not_found', 'This link does not work: it was used before, was withdrawn, or has expired. Ask for a new one.');
}
