import type { FuzzSystem } from '../../fuzz-system.js';

/** Must be in no answer. */
export const password = 'right-horse-battery-7c2e';

export interface ConsoleUser {
  account: string;
  email: string;
  secret: string;
  /** A virtual robot and a physical one, neither connected. */
  virtualRobot: string;
  plainRobot: string;
}

/** Each session allows 30 calls at once and 10 a second. */
const sessionsPerAccount = 90;
const callsPerSession = 25;
const owners = 20;
/** Record, address, sessions, keys, robots and their data. */
export const keysPerAccount = 12;

export class ConsoleUsers {
  readonly hash: string;
  readonly otherSecret: string;
  readonly endedSecret: string;
  readonly apiKey: string;
  readonly #system: FuzzSystem;
  readonly #users: readonly ConsoleUser[];
  readonly #owners: readonly ConsoleUser[];
  #next = 0;
  #count = 0;

  private constructor(
    system: FuzzSystem,
    hash: string,
    users: readonly ConsoleUser[],
    owners: readonly ConsoleUser[],
    { otherSecret, endedSecret, apiKey }: ForeignSecrets,
  ) {
    this.#system = system;
    this.hash = hash;
    this.#users = users;
    this.#owners = owners;
    this.otherSecret = otherSecret;
    this.endedSecret = endedSecret;
    this.apiKey = apiKey;
  }

  static async open(system: FuzzSystem, calls: number): Promise<ConsoleUsers> {
    const { store } = system;
    const hash = await store.passwords.hash(password);
    const sessions = Math.ceil(calls / callsPerSession) + 20;
    const users: ConsoleUser[] = [];
    while (users.length < sessions)
      users.push(...(await newUsers(system, hash, `user-${users.length}`, Math.min(sessionsPerAccount, sessions - users.length))));
    const [first] = users;
    const ended = await store.sessions.begin(first!.account);
    await store.sessions.end(first!.account, ended.keyHash);
    const { apiKey } = await store.apiKeys.create({ account: first!.account });
    const { secret: otherSecret } = await store.sessions.begin(system.account);
    return new ConsoleUsers(system, hash, users, await newOwners(system), { otherSecret, endedSecret: ended.secret, apiKey });
  }

  next(): ConsoleUser {
    return this.#users[this.#next++ % this.#users.length]!;
  }

  owner(): ConsoleUser {
    return this.#owners[this.#next++ % this.#owners.length]!;
  }

  async once(): Promise<ConsoleUser> {
    const [user] = await newUsers(this.#system, this.hash, `once-${process.pid}-${this.#count++}`, 1);
    return user!;
  }

  get accounts(): number {
    return new Set(this.#users.map(({ account }) => account)).size + this.#count;
  }
}

async function newOwners({ store, account, robots }: FuzzSystem): Promise<ConsoleUser[]> {
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

interface ForeignSecrets {
  otherSecret: string;
  endedSecret: string;
  apiKey: string;
}

async function newUsers({ store }: FuzzSystem, hash: string, name: string, sessions: number): Promise<ConsoleUser[]> {
  const email = `${name}-${Math.random().toString(36).slice(2)}@console.fuzz`;
  const { account } = await store.accounts.create({ email, password: hash });
  const [{ robot: virtualRobot }, { robot: plainRobot }] = await Promise.all([
    store.robots.create({ account, virtual: true }),
    store.robots.create({ account }),
  ]);
  const secrets = await Promise.all(Array.from({ length: sessions }, async () => (await store.sessions.begin(account)).secret));
  return secrets.map((secret) => ({ account, email, secret, virtualRobot, plainRobot }));
}
