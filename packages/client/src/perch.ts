import { Caller, type Call } from './caller.js';
import { pathPart } from './checked-id.js';
import type { ActivityFilter, ActivityPage, CallOptions, PerchOptions, RobotFilter, RobotsSlice } from './options.js';
import { GroupClient } from './group-client.js';
import { RobotClient } from './robot-client.js';
import type {
  ActionsAnswer,
  ActivityAnswer,
  ActivityEntry,
  IconsAnswer,
  PictureUploadAnswer,
  Robot,
  RobotsAnswer,
  UsageAnswer,
  WaitAnswer,
} from './types.generated.js';

const sliceLimit = 500;
const activityLimit = 1000;
/** An export counts for this many actions of the rate limit. */
const exportCost = 10;

export class Perch {
  readonly #caller: Caller;

  /** Sends nothing. @throws {TypeError} an option is missing or malformed */
  constructor(options: PerchOptions) {
    this.#caller = new Caller(options);
  }

  /** Returns a client for the robot with this id. Sends nothing: if the robot does not exist, its first call fails with `unknown_robot`. */
  robot(id: string): RobotClient {
    return new RobotClient(this.#caller, id);
  }

  /** Returns a client for the robots with a label, such as `room=r7`; `all`: every robot of the key. Sends nothing. */
  group(label: string): GroupClient {
    return new GroupClient(this.#caller, label);
  }

  /**
   * Returns the key's robots, ascending by id (GET /v1/robots), optionally filtered.
   * @throws {PerchError} the service reported a failure, or there was no usable response @throws the signal's reason if it is aborted
   */
  async robots(options: RobotFilter & CallOptions = {}): Promise<Robot[]> {
    const robots: Robot[] = [];
    for await (const slice of this.#slices(options)) robots.push(...slice);
    return robots;
  }

  /** Yields the key's robots, ascending by id, while it reads them slice by slice: for keys with thousands of robots. @throws like `robots` */
  async *eachRobot(options: RobotFilter & CallOptions = {}): AsyncGenerator<Robot, void, undefined> {
    for await (const slice of this.#slices(options)) yield* slice;
  }

  /** Returns one slice of the key's robots. `next` is the `after` of the next slice, or null if this is the last one. @throws like `robots` */
  async listRobots({ limit, after, online, firmware, label, ...options }: RobotsSlice & CallOptions = {}): Promise<{
    robots: Robot[];
    next: string | null;
  }> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ limit, after, online, firmware })) if (value !== undefined) query.set(name, String(value));
    for (const each of labelsOf(label)) query.append('label', each);
    const path = query.size === 0 ? '/v1/robots' : `/v1/robots?${query.toString()}`;
    const { robots, next } = await this.#caller.json<Pick<RobotsAnswer, 'robots'> & Partial<RobotsAnswer>>(
      { ...reading(path, 1), promises: { robots: 'array' } },
      options,
    );
    return next === undefined ? filtered(robots, { limit, after, online, firmware, label }) : { robots, next };
  }

  async *#slices(options: RobotFilter & CallOptions): AsyncGenerator<Robot[], void, undefined> {
    let after: string | undefined;
    do {
      const { robots, next } = await this.listRobots({ ...options, limit: sliceLimit, after });
      yield robots;
      after = next ?? undefined;
    } while (after !== undefined);
  }

  /**
   * Keeps a JPEG or PNG of up to 2 MB for a day; its `picture` is accepted as `image` with every key of the account (POST /v1/pictures). The same
   * picture has the same id. @throws like `robots`
   */
  async uploadPicture(bytes: Uint8Array, options?: CallOptions): Promise<PictureUploadAnswer> {
    // The service looks at the bytes, not at the type.
    const headers = { 'content-type': bytes[0] === 0x89 ? 'image/png' : 'image/jpeg' };
    const call: Call = {
      method: 'POST',
      path: '/v1/pictures',
      body: bytes,
      headers,
      cost: 1,
      reads: true,
      waits: false,
      promises: { picture: 'string' },
    };
    return this.#caller.json<PictureUploadAnswer>(call, options);
  }

  /**
   * Returns entries of the account's activity, ascending by `seq`, the newest by default: what each key asked of each robot and how it ended, and
   * sign-ins and changes of the account (GET /v1/activity). `next_before` leads to earlier entries, `last_seq` to later ones. @throws like `robots`
   */
  async activity({ after, before, limit, robot, key, action, outcome, kind, ...options }: ActivityPage & CallOptions = {}): Promise<ActivityAnswer> {
    return this.#caller.json<ActivityAnswer>(
      {
        ...reading(withQuery('/v1/activity', { after, before, limit, robot, key, action, outcome, kind }), 1),
        promises: { activity: 'array' },
      },
      options,
    );
  }

  /** Yields the entries of the activity, newest first, while it reads them page by page. @throws like `robots` */
  async *eachActivity(options: ActivityFilter & CallOptions = {}): AsyncGenerator<ActivityEntry, void, undefined> {
    let before: number | undefined;
    do {
      const { activity, next_before: next } = await this.activity({ ...options, limit: activityLimit, before });
      yield* activity.toReversed();
      before = next ?? undefined;
    } while (before !== undefined);
  }

  /**
   * Returns the activity as a file: CSV, or a list in JSON (GET /v1/activity/export). It counts for 10 actions of the rate limit. Read or cancel the
   * body. @throws like `robots`
   */
  async exportActivity({
    format,
    robot,
    key,
    action,
    outcome,
    kind,
    ...options
  }: ActivityFilter & { format?: 'csv' | 'json' | undefined } & CallOptions = {}): Promise<Response> {
    const path = withQuery('/v1/activity/export', { format, robot, key, action, outcome, kind });
    return (await this.#caller.open(reading(path, exportCost), options)) as Response;
  }

  /** Returns calls, refusals, questions, answers and the median time to tap, per day and key, newest day first (GET /v1/activity/usage). @throws like `robots` */
  async usage(options?: CallOptions): Promise<UsageAnswer['days']> {
    return (await this.#caller.json<UsageAnswer>({ ...reading('/v1/activity/usage', 1), promises: { days: 'array' } }, options)).days;
  }

  /**
   * Goes on waiting for a question that was asked with `detach`, up to `seconds` (at most 60), and returns how it ended or `pending` (GET
   * /v1/waits/{wait}). @throws like `robots`, and the failure of the question
   */
  async wait(id: string, { seconds = 0, ...options }: { seconds?: number } & CallOptions = {}): Promise<WaitAnswer> {
    const path = withQuery(`/v1/waits/${pathPart(id)}`, { seconds });
    return this.#caller.json<WaitAnswer>({ ...reading(path, 1), moreMs: seconds * 1000, promises: { outcome: 'string' } }, options);
  }

  /** Takes such a question off the screen and deletes its outcome (DELETE /v1/waits/{wait}). @throws like `robots` */
  async removeWait(id: string, options?: CallOptions): Promise<void> {
    await this.#caller.json({ ...reading(`/v1/waits/${pathPart(id)}`, 1), method: 'DELETE' }, options);
  }

  /** Returns the actions with the JSON Schemas of their arguments and responses (GET /v1/actions). @throws like `robots` */
  async actions(options?: CallOptions): Promise<ActionsAnswer['actions']> {
    return (await this.#caller.json<ActionsAnswer>({ ...reading('/v1/actions', 0), promises: { actions: 'array' } }, options)).actions;
  }

  /** Returns the icons for `show`, `ask` and `menu`, with words for what they show (GET /v1/icons). @throws like `robots` */
  async icons(options?: CallOptions): Promise<IconsAnswer['icons']> {
    return (await this.#caller.json<IconsAnswer>({ ...reading('/v1/icons', 0), promises: { icons: 'array' } }, options)).icons;
  }
}

/**
 * Filters the response of a service before 0.10.0, which ignores the query and sends all robots, without labels and `next`. During an upgrade, the
 * slices of one list may come from both releases.
 */
function filtered(
  all: readonly Robot[],
  { limit = Infinity, after = '', online, firmware, label }: RobotsSlice,
): { robots: Robot[]; next: string | null } {
  const robots = (labelsOf(label).length > 0 ? [] : all)
    .filter((robot) => robot.id > after && robot.online === (online ?? robot.online) && robot.firmware === (firmware ?? robot.firmware))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const slice = robots.slice(0, limit);
  return { robots: slice, next: slice.length < robots.length ? (slice.at(-1)?.id ?? null) : null };
}

function labelsOf(label: RobotsSlice['label']): readonly string[] {
  if (label === undefined) return [];
  return typeof label === 'string' ? [label] : label;
}

function withQuery(path: string, given: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

function reading(path: string, cost: number): Call {
  return { method: 'GET', path, cost, reads: true, waits: false };
}
