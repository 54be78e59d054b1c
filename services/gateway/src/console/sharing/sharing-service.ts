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
  type ConsoleRobot,
  type SharedBy,
} from '@perch/schema';
import type { Guest, ShareLink, Store, OwnersRobot, SharedRobot } from '@perch/store';
import type { AuditNote } from '../audit.js';
import { conflictWhenFull, type SessionRequest, type SessionRoute } from '../route.js';
import { noSuchRobot } from './robot-access.js';
import { robotViewOf } from '../robots/robot-service.js';

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

export function sharingRoutes(sharing: SharingService): SessionRoute[] {
  async function people({ session, params }: SessionRequest): Promise<object> {
    return sharing.people(session.account, params['robot']!);
  }
  async function makeLink({ session, params, body }: SessionRequest): Promise<object> {
    return sharing.makeLink(session.account, params['robot']!, await body());
  }
  async function undo({ session, params }: SessionRequest, made: unknown): Promise<void> {
    await sharing.removeLink(session.account, params['robot']!, (made as ShareLinkAnswer).link.id);
  }
  async function removeLink({ session, params }: SessionRequest): Promise<object> {
    await sharing.removeLink(session.account, params['robot']!, params['link']!);
    return { ok: true };
  }
  async function change({ session, params, body, auditNote }: SessionRequest): Promise<object> {
    return sharing.change(session.account, params['robot']!, params['person']!, await body(), auditNote);
  }
  async function remove({ session, params, auditNote }: SessionRequest): Promise<object> {
    await sharing.remove(session.account, params['robot']!, params['person']!, auditNote);
    return { ok: true };
  }
  async function find({ session, body }: SessionRequest): Promise<object> {
    return sharing.offer(session.account, await body());
  }
  async function accept({ session, body, auditNote }: SessionRequest): Promise<object> {
    return sharing.accept(session.account, await body(), auditNote);
  }
  async function leave({ session, params, auditNote }: SessionRequest): Promise<object> {
    await sharing.leave(session.account, params['robot']!, auditNote);
    return { ok: true };
  }

  const [ofRobot, ofAccount] = ['console_people', 'console_shares'] as const;
  return [
    { for: 'session', method: 'GET', path: 'robots/{robot}/people', cost: 1, label: ofRobot, handle: people },
    { for: 'session', method: 'PATCH', path: 'robots/{robot}/people/{person}', cost: 1, label: ofRobot, audit: 'share_change', handle: change },
    { for: 'session', method: 'DELETE', path: 'robots/{robot}/people/{person}', cost: 1, label: ofRobot, audit: 'share_remove', handle: remove },
    {
      for: 'session',
      method: 'POST',
      path: 'robots/{robot}/share-links',
      cost: 1,
      label: ofRobot,
      audit: 'share_link_create',
      handle: makeLink,
      undo,
    },
    {
      for: 'session',
      method: 'DELETE',
      path: 'robots/{robot}/share-links/{link}',
      cost: 1,
      label: ofRobot,
      audit: 'share_link_remove',
      handle: removeLink,
    },
    { for: 'session', method: 'POST', path: 'shares/find', cost: 1, label: ofAccount, handle: find },
    { for: 'session', method: 'POST', path: 'shares', cost: 1, label: ofAccount, audit: 'share_accept', handle: accept },
    { for: 'session', method: 'DELETE', path: 'shares/{robot}', cost: 1, label: ofAccount, audit: 'share_leave', handle: leave },
  ];
}

/** Robots of other accounts as a guest sees them: without labels and settings, which are their owner's. */
type SharedViewsStore = Pick<Store, 'sharedRobots' | 'guests' | 'robots' | 'robotList' | 'accounts' | 'clock'>;

export class SharedViews {
  readonly #store: SharedViewsStore;

  constructor(store: SharedViewsStore) {
    this.#store = store;
  }

  /** Oldest share first. */
  async of(account: string): Promise<ConsoleRobot[]> {
    const { sharedRobots, robotList, accounts } = this.#store;
    const shared = await sharedRobots.with(account);
    const permissions = new Map(shared.map(({ robot, permission }) => [robot, permission]));
    const views = new Map<string, ConsoleRobot>();
    await Promise.all(
      [...new Set(shared.map(({ owner }) => owner))].map(async (owner) => {
        const among = shared.filter((each) => each.owner === owner).map(({ robot }) => robot);
        const by = (await accounts.get(owner))?.email;
        // Null: the account is being removed.
        if (by === undefined) return;
        for await (const slice of robotList.forOwner(owner, { among }))
          for (const robot of slice) views.set(robot.id, this.#viewOf(robot, { by, permission: permissions.get(robot.id)! }));
      }),
    );
    return shared.flatMap(({ robot }: SharedRobot) => views.get(robot) ?? []);
  }

  /** @throws {ApiError} unknown_robot if it is not shared with the account */
  async one(account: string, robot: string): Promise<ConsoleRobot> {
    const { guests, robots, robotList, accounts } = this.#store;
    const owner = (await robots.get(robot))?.account;
    const guest = owner === undefined ? null : await guests.find(robot, account);
    if (owner === undefined || guest === null) throw noSuchRobot();
    const [found, by] = await Promise.all([robotList.one(owner, robot), accounts.get(owner)]);
    if (found === null || by === null) throw noSuchRobot();
    return this.#viewOf(found, { by: by.email, permission: guest.permission });
  }

  #viewOf(robot: OwnersRobot, shared: SharedBy): ConsoleRobot {
    const {
      update: _update,
      labels: _labels,
      time_zone: _zone,
      volume_max: _volume,
      quiet_hours: _hours,
      ...view
    } = robotViewOf(robot, this.#store.clock.now());
    return { ...view, shared };
  }
}
