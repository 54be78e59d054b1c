/** Exports an account as one JSON document (docs/reference/account-export.md), without secrets, in pieces that need little memory at any size. */
import { type Activity, activityViewOf, usageViewOf } from '../activity/activity.js';
import { type ScreenHistory, screenViewOf } from '../activity/screen-history.js';
import type { AccountLimits, LimitsOfAccounts } from '../accounts/account-limits.js';
import type { Account } from '../accounts/accounts.js';
import type { ApiKeys } from '../keys/api-keys.js';
import type { Deliveries } from '../webhooks/deliveries.js';
import type { Events } from '../events/events.js';
import { guarded } from '../redis/errors.js';
import { waitIdOf } from '../calls/detached-waits.js';
import type { Queue } from '../calls/queue.js';
import type { Waits } from '../calls/waits.js';
import type { Guests, SharedRobots } from '../guests/guests.js';
import { accountKeys, apiKeyRecord } from '../redis/keys.js';
import type { Passkeys } from '../auth/passkeys.js';
import type { UploadedPictures } from '../media/uploads.js';
import type { Leases } from '../robots/leases.js';
import type { Connections } from '../redis/connections.js';
import { redisTimeMs } from '../redis/in-time.js';
import type { RobotIds } from '../robots/robot-ids.js';
import type { RobotLabels } from '../robots/robot-labels.js';
import type { RobotLines } from '../robots/robot-record.js';
import type { Robots } from '../robots/robots.js';
import type { Webhooks } from '../webhooks/webhooks.js';

export const accountExportVersion = 1;

/** Up to 1 MB, since an event is at most about 1 KB. */
const eventsAtOnce = 500;

export interface AccountExportOptions {
  redis: Connections;
  limits: LimitsOfAccounts;
  passkeys: Passkeys;
  apiKeys: ApiKeys;
  webhooks: Webhooks;
  deliveries: Deliveries;
  robots: Robots;
  robotIds: RobotIds;
  labels: RobotLabels;
  leases: Leases;
  lines: RobotLines;
  events: Events;
  pictures: UploadedPictures;
  activity: Activity;
  screenHistory: ScreenHistory;
  guests: Guests;
  sharedRobots: SharedRobots;
  waits: Waits;
  queue: Queue;
}

export class AccountExport {
  readonly #options: AccountExportOptions;

  constructor(options: AccountExportOptions) {
    this.#options = options;
  }

  /** Yields pieces of JSON text. Data that changes meanwhile is included as of the read of its piece. After an error the document is incomplete. */
  async *write(account: Account): AsyncGenerator<string> {
    const { redis, limits, apiKeys } = this.#options;
    const [exportedAt, own, signIn, keys] = await Promise.all([
      guarded(() => redisTimeMs(redis)),
      limits.get(account.id),
      this.#signIn(account.id),
      apiKeys.list(account.id),
    ]);
    yield `{"format":"perch-account-export","version":${accountExportVersion},"exported_at":${JSON.stringify(timeOf(exportedAt))}`;
    yield `,"account":${JSON.stringify({ id: account.id, email: account.email, created_at: timeOf(account.createdAt), limits: limitsOf(own) })}`;
    yield `,"sign_in":${JSON.stringify(signIn)}`;
    const shown = keys.map(({ id, name, robots, scopes, createdAt, expiresAt, lastUsed, agentAt, formerUntil, client = null }) => ({
      id,
      name,
      robots,
      scopes,
      created_at: timeOf(createdAt),
      expires_at: timeOf(expiresAt),
      last_used_at: timeOf(lastUsed),
      agent_connected_at: timeOf(agentAt),
      former_secret_until: timeOf(formerUntil),
      client,
    }));
    yield `,"keys":${JSON.stringify(shown)},"webhooks":[`;
    yield* this.#webhooks(account.id);
    yield '],"pictures":[';
    yield* this.#pictures(account.id);
    yield '],"activity":[';
    yield* this.#activity(account.id);
    const usage = (await this.#options.activity.usage(account.id)).map(({ day, keys: used }) => ({
      date: day,
      keys: used.map((each) => usageViewOf(each, { id: each.key, name: '' })),
    }));
    yield `],"usage":${JSON.stringify(usage)}`;
    const shared = (await this.#options.sharedRobots.with(account.id)).map(({ robot, permission, since }) => ({
      id: robot,
      permission,
      since: timeOf(since),
    }));
    yield `,"shared_robots":${JSON.stringify(shared)}`;
    yield ',"robots":[';
    let first = true;
    for (const robot of await this.#options.robotIds.of(account.id)) {
      for await (const piece of this.#robot(account.id, robot, first ? '' : ',')) {
        first = false;
        yield piece;
      }
    }
    yield ']}';
  }

  async #signIn(account: string): Promise<object> {
    const { commands } = this.#options.redis;
    const [[password, identity, verifiedAt], passkeys, sessions, devices] = await guarded(() =>
      Promise.all([
        commands.hmget(accountKeys.record(account), 'password', 'identity', 'verified_at'),
        this.#options.passkeys.list(account),
        commands.zrange(accountKeys.sessions(account), '0', '-1'),
        commands.zrange(accountKeys.devices(account), '0', '-1', 'WITHSCORES'),
      ]),
    );
    const records = await guarded(() =>
      Promise.all(sessions.map((keyHash) => commands.hmget(apiKeyRecord(keyHash), 'created_at', 'last_used', 'expires_at', 'user_agent'))),
    );
    return {
      password: typeof password === 'string',
      openid_connect: typeof identity === 'string',
      email_verified_at: typeof verifiedAt === 'string' ? timeOf(Number(verifiedAt)) : null,
      passkeys: passkeys.map(({ name, host, synced, createdAt, lastUsed }) => ({
        name,
        host,
        synced,
        created_at: timeOf(createdAt),
        last_used_at: timeOf(lastUsed),
      })),
      sessions: records
        .filter(([createdAt]) => typeof createdAt === 'string')
        .map(([createdAt, lastUsed, expiresAt, userAgent]) => ({
          created_at: timeOf(Number(createdAt)),
          last_used_at: typeof lastUsed === 'string' ? timeOf(Number(lastUsed)) : null,
          expires_at: timeOf(Number(expiresAt)),
          user_agent: userAgent ?? null,
        })),
      // Alternates the secret's hash and its expiry.
      browsers: devices.filter((_, i) => i % 2 === 1).map((forgottenAt) => ({ forgotten_at: timeOf(Number(forgottenAt)) })),
    };
  }

  async *#webhooks(account: string): AsyncGenerator<string> {
    const { webhooks, deliveries } = this.#options;
    for (const [i, webhook] of (await webhooks.list(account)).entries()) {
      const messages = await deliveries.list(webhook);
      const { id, url, robots, names, createdAt, disabled } = webhook;
      const shown = {
        id,
        url,
        robots: robots ?? '*',
        names: names ?? '*',
        created_at: timeOf(createdAt),
        disabled,
        messages: messages.map((message) => ({
          id: message.id,
          status: message.status,
          robot: message.robot,
          type: message.type,
          created_at: timeOf(message.createdAt),
          attempts: message.attempts,
          last_at: timeOf(message.lastAt),
          last_status: message.lastStatus,
          last_error: message.lastError,
          payload: message.payload,
        })),
      };
      yield `${i === 0 ? '' : ','}${JSON.stringify(shown)}`;
    }
  }

  async *#pictures(account: string): AsyncGenerator<string> {
    const { pictures } = this.#options;
    let before = '';
    for (const { id, expiresAt } of await pictures.list(account)) {
      const bytes = await pictures.read(account, id);
      if (bytes === null) continue;
      yield `${before}${JSON.stringify({ id, expires_at: timeOf(expiresAt), image: bytes.toString('base64') })}`;
      before = ',';
    }
  }

  async *#activity(account: string): AsyncGenerator<string> {
    let before = '';
    for await (const entries of this.#options.activity.all(account)) {
      yield before + JSON.stringify(entries.map(activityViewOf)).slice(1, -1);
      before = ',';
    }
  }

  /** Those that outlive their calls. */
  async #waits(robot: string): Promise<object[]> {
    const { waits } = this.#options;
    const found = await Promise.all((await waits.detachedNumbers(robot)).map((number) => waits.read(robot, number)));
    return found.flatMap((wait) => {
      if (wait?.detached === undefined) return [];
      const { record, outcome, detached } = wait;
      return { id: waitIdOf(robot, wait), action: record.kind, timeout_s: record.timeoutMs / 1000, choices: detached.choices, outcome };
    });
  }

  /** Returns the robot's queue of cards and questions. */
  async #queue(account: string, robot: string): Promise<object[]> {
    const { queue, waits } = this.#options;
    const entries = (await queue.list(robot)).filter(({ entry }) => entry.account === account);
    const questions = await Promise.all(entries.map(({ number, isQuestion }) => (isQuestion ? waits.read(robot, number) : Promise.resolve(null))));
    return entries.map(({ entry: { action, args }, priority, expiresAt }, i) => {
      const wait = questions[i] ?? null;
      const expires_at = timeOf(Math.floor(expiresAt));
      return { wait: wait === null ? null : waitIdOf(robot, wait), action, arguments: args, priority, expires_at };
    });
  }

  async *#robot(account: string, robot: string, before: string): AsyncGenerator<string> {
    const { robots, labels, leases, lines, events, screenHistory, guests, redis } = this.#options;
    const [record, labelled, lease, saved, log, screens, people, waits, queue] = await Promise.all([
      robots.get(robot),
      labels.of(account, robot),
      leases.find(robot),
      leases.saved(robot),
      lines.read(robot),
      screenHistory.list(account, robot),
      guests.of(robot, await guarded(() => redisTimeMs(redis))),
      this.#waits(robot),
      this.#queue(account, robot),
    ]);
    if (record?.account !== account) return;
    const { name, serial, model, firmware, virtual, createdAt, hello, settings } = record;
    const described = {
      id: robot,
      name,
      labels: labelled,
      time_zone: settings.timeZone,
      volume_max: settings.volumeMax,
      quiet_hours: settings.quietHours,
      serial,
      model,
      firmware,
      virtual,
      created_at: timeOf(createdAt),
      online: lease.state !== 'away',
      last_connected_at: lease.since === 0 ? null : timeOf(lease.since),
      hello,
      readings: saved?.readings ?? {},
      readings_at: saved === null ? null : timeOf(saved.readingsAt),
      showing: saved?.showing ?? null,
      log: log.map(({ at, level, text }) => ({ at, level, text })),
      screens: screens.map(screenViewOf),
      people: people.guests.map(({ email, permission, since }) => ({ email, permission, since: timeOf(since) })),
      waits,
      queue,
      share_links: people.links.map(({ permission, expiresAt }) => ({ permission, expires_at: timeOf(expiresAt) })),
    };
    yield `${before}${JSON.stringify(described).slice(0, -1)},"events":[`;
    let after = 0;
    for (;;) {
      const page = await events.read(robot, { after, limit: eventsAtOnce });
      if (page.events.length > 0) yield `${after === 0 ? '' : ','}${JSON.stringify(page.events).slice(1, -1)}`;
      if (page.events.length < eventsAtOnce) break;
      after = page.events.at(-1)!.seq;
    }
    yield ']}';
  }
}

function limitsOf({ robots, keys, actionsPerS }: AccountLimits): object {
  return { robots, keys, actions_per_second: actionsPerS };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
