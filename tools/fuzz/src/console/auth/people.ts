/** Users of the console: accounts with robots and many sessions, and new accounts for requests that can be made only once. */
import type { Stage } from '../../stage.js';

/** Password of all users; must be in no answer. */
export const password = 'right-horse-battery-7c2e';

export interface Member {
  account: string;
  email: string;
  /** Session secret, the cookie's value. */
  secret: string;
  /** A virtual robot and a physical one, neither connected. */
  virtualRobot: string;
  plainRobot: string;
}

/** Maximum sessions of an account; each allows 30 calls at once and 10 a second. */
const sessionsPerAccount = 90;
const callsPerSession = 25;
const owners = 20;
/** Permanent Redis keys of an account: record, address, sessions, keys, robots and their data. */
export const keysPerAccount = 12;

export class People {
  /** Hash of `password`, computed once. */
  readonly hash: string;
  readonly otherSecret: string;
  readonly endedSecret: string;
  readonly apiKey: string;
  readonly #stage: Stage;
  readonly #members: readonly Member[];
  /** Sessions of the account whose robots are connected. */
  readonly #owners: readonly Member[];
  #next = 0;
  #count = 0;

  private constructor(
    stage: Stage,
    hash: string,
    members: readonly Member[],
    owners: readonly Member[],
    { otherSecret, endedSecret, apiKey }: Strangers,
  ) {
    this.#stage = stage;
    this.hash = hash;
    this.#members = members;
    this.#owners = owners;
    this.otherSecret = otherSecret;
    this.endedSecret = endedSecret;
    this.apiKey = apiKey;
  }

  static async open(stage: Stage, calls: number): Promise<People> {
    const { store } = stage;
    const hash = await store.passwords.hash(password);
    const sessions = Math.ceil(calls / callsPerSession) + 20;
    const members: Member[] = [];
    while (members.length < sessions)
      members.push(...(await newMembers(stage, hash, `member-${members.length}`, Math.min(sessionsPerAccount, sessions - members.length))));
    const [first] = members;
    const ended = await store.sessions.begin(first!.account);
    await store.sessions.end(first!.account, ended.keyHash);
    const { apiKey } = await store.apiKeys.create({ account: first!.account });
    const { secret: otherSecret } = await store.sessions.begin(stage.account);
    return new People(stage, hash, members, await newOwners(stage), { otherSecret, endedSecret: ended.secret, apiKey });
  }

  /** Returns the users in turn, so that no session exceeds its rate limit. */
  next(): Member {
    return this.#members[this.#next++ % this.#members.length]!;
  }

  /** Returns a user whose robots are connected. */
  owner(): Member {
    return this.#owners[this.#next++ % this.#owners.length]!;
  }

  /** Creates a new user. */
  async once(): Promise<Member> {
    const [member] = await newMembers(this.#stage, this.hash, `once-${process.pid}-${this.#count++}`, 1);
    return member!;
  }

  get accounts(): number {
    return new Set(this.#members.map(({ account }) => account)).size + this.#count;
  }
}

async function newOwners({ store, account, robots }: Stage): Promise<Member[]> {
  const [first, second] = robots;
  return Promise.all(
    Array.from({ length: owners }, async () => ({
      account,
      email: 'attacker@localhost',
      secret: (await store.sessions.begin(account)).secret,
      virtualRobot: first!.id,
      plainRobot: second!.id,
    })),
  );
}

interface Strangers {
  otherSecret: string;
  endedSecret: string;
  apiKey: string;
}

async function newMembers({ store }: Stage, hash: string, name: string, sessions: number): Promise<Member[]> {
  const email = `${name}-${Math.random().toString(36).slice(2)}@console.fuzz`;
  const { account } = await store.accounts.create({ email, password: hash });
  const [{ robot: virtualRobot }, { robot: plainRobot }] = await Promise.all([
    store.robots.create({ account, virtual: true }),
    store.robots.create({ account }),
  ]);
  const secrets = await Promise.all(Array.from({ length: sessions }, async () => (await store.sessions.begin(account)).secret));
  return secrets.map((secret) => ({ account, email, secret, virtualRobot, plainRobot }));
}
