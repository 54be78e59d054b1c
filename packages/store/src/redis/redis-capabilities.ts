/**
 * What the masters of this Redis can do, read from INFO at the start, after each reconnection, and once a minute, because operators change settings of a
 * running Redis. Servers and users that refuse CONFIG, ROLE and ACL mostly permit INFO; what a server does not report is unknown.
 */
import { StartRefused } from '@perch/schema';
import { Cluster, type Redis } from 'ioredis';
import { sharedKeys } from './keys.js';
import { mastersOf } from './cluster-nodes.js';
import { guarded } from './errors.js';
import { refusalOf } from './refused.js';

export const redisCapabilities = [
  /** It is a master, so that it takes writes. */
  'master',
  'noeviction',
  /** It keeps an append-only file. */
  'aof',
  /** It tells when a write is on disk (WAITAOF), and this user may ask. */
  'waitaof',
  /** No command of ours was refused for lack of permissions. */
  'commands',
  /** It has room for more clients. */
  'maxclients',
] as const;
export type RedisCapability = (typeof redisCapabilities)[number];

/** @param level as in the log */
export type OnFinding = (level: 'error' | 'warn' | 'info', text: string) => void;

/** Null: unknown. */
interface Facts {
  isMaster: boolean | null;
  evictionPolicy: string | null;
  aof: boolean | null;
  hasRoom: boolean | null;
  /** It has a replica, or was one: the former master may be its replica now, or soon. */
  isFromFailover: boolean | null;
  waitaof: boolean | null;
  /** Reply that refused WAITAOF. */
  noWaitaof: string;
}

const refreshMs = 60_000;
/** While a failover, or an operator, may put it right. */
const refreshWhileLackingMs = 10_000;
const refusalCountsMs = 600_000;
/** Perch and ioredis ask, and do without the answer. */
const dispensable: ReadonlySet<string> = new Set(['acl', 'client', 'config', 'info', 'waitaof']);
/** Above it the next deployment, which starts instances before it stops others, may find no room. */
const clientsShareMax = 0.8;

export class Capabilities {
  readonly #commands: Redis | Cluster;
  readonly #onFinding: OnFinding;
  readonly #facts = new WeakMap<Redis, Facts>();
  readonly #reported = new Set<RedisCapability>();
  #refreshedAt = -Infinity;
  #refusedAt = -Infinity;

  /** @param onFinding called once for each capability that is found missing */
  constructor(commands: Redis | Cluster, onFinding: OnFinding) {
    this.#commands = commands;
    this.#onFinding = onFinding;
  }

  /** Reads the capabilities of the masters now, and of each one that is connected again. Never rejects. */
  async watch(): Promise<void> {
    await Promise.all(this.#masters().map((node) => this.#probe(node)));
    this.#refreshedAt = performance.now();
    this.#report();
    const watch = (node: Redis): void => void node.on('ready', () => void this.#reconnected(node));
    if (!(this.#commands instanceof Cluster)) return watch(this.#commands);
    for (const node of this.#commands.nodes('all')) watch(node);
    this.#commands.on('+node', watch);
  }

  /** Reads again what can change without a reconnection, once a minute, and every 10 s while an alert is due. */
  async refresh(): Promise<void> {
    const isLacking = this.get('master') === false || this.get('noeviction') === false;
    if (performance.now() - this.#refreshedAt < (isLacking ? refreshWhileLackingMs : refreshMs)) return;
    this.#refreshedAt = performance.now();
    await Promise.all(
      this.#masters().map(async (node) => this.#facts.set(node, { ...(this.#facts.get(node) ?? unknown), ...(await factsOf(node)) })),
    );
    this.#report();
  }

  /** Call it with each refusal on any of the connections. One for lack of permission counts for 10 minutes, or until the next reconnection. */
  refused(error: Error & { command?: { name: string } }): void {
    if (refusalOf(error) !== 'NOPERM') return;
    const command = error.command?.name.toLowerCase() ?? '';
    if (command === 'waitaof')
      for (const node of this.#masters()) this.#facts.set(node, { ...(this.#facts.get(node) ?? unknown), waitaof: false, noWaitaof: error.message });
    else if (!dispensable.has(command)) this.#refusedAt = performance.now();
  }

  /** Omits what is unknown. On several masters the worst one counts. */
  get known(): (readonly [RedisCapability, boolean])[] {
    return redisCapabilities.flatMap((name) => {
      const value = this.get(name);
      return value === null ? [] : [[name, value] as const];
    });
  }

  /** Null: unknown. */
  get(name: RedisCapability): boolean | null {
    if (name === 'commands') return performance.now() - this.#refusedAt > refusalCountsMs;
    const values = this.#masters().map((node) => valueOf(name, this.#facts.get(node) ?? unknown));
    if (values.includes(false)) return false;
    return values.length === 0 || values.includes(null) ? null : true;
  }

  /** The policy by which a master evicts keys; null if none is known to. */
  get evictionPolicy(): string | null {
    const policies = this.#masters().map((node) => this.#facts.get(node)?.evictionPolicy ?? noeviction);
    return policies.find((policy) => policy !== noeviction) ?? null;
  }

  /** Whether clients may still be at a former master that hands on what is published here. */
  get mayBeFromFailover(): boolean {
    return this.#masters().some((node) => this.#facts.get(node)?.isFromFailover !== false);
  }

  #masters(): Redis[] {
    return mastersOf(this.#commands);
  }

  async #reconnected(node: Redis): Promise<void> {
    this.#refusedAt = -Infinity;
    // Behind the same address may be another server.
    this.#facts.set(node, { ...(this.#facts.get(node) ?? unknown), isFromFailover: null });
    // A replica of a Cluster may be promoted later.
    if (node.options.readOnly === true) this.#facts.delete(node);
    else await this.#probe(node);
    this.#report();
  }

  async #probe(node: Redis): Promise<void> {
    const facts = await factsOf(node);
    // A replica refuses WAITAOF as one that is no master, for which all connections would be replaced (`reconnection.ts`).
    const waitaof = facts.isMaster === false ? { waitaof: null, noWaitaof: '' } : await waitaofOf(node);
    this.#facts.set(node, { ...facts, ...waitaof });
  }

  #report(): void {
    for (const [name, value] of this.known) {
      // Without an append-only file there is no disk to wait for.
      if (value || this.#reported.has(name) || (name === 'waitaof' && this.get('aof') === false)) continue;
      this.#reported.add(name);
      const finding = this.finding(name);
      if (finding !== null) this.#onFinding(...finding);
    }
  }

  /** Returns what to report of a capability that is missing. */
  finding(name: RedisCapability): Parameters<OnFinding> | null {
    switch (name) {
      case 'master':
        return ['error', capabilityWarnings.replica];
      case 'noeviction':
        return ['error', capabilityWarnings.evicts(this.evictionPolicy ?? '')];
      case 'aof':
        return ['warn', capabilityWarnings.noAppendOnly];
      case 'waitaof': {
        const why = this.#masters().flatMap((node) => this.#facts.get(node)?.noWaitaof || [])[0] ?? '';
        return why.startsWith('NOPERM') ? ['warn', capabilityWarnings.mayNotWait(why)] : ['info', capabilityWarnings.cannotWait(why)];
      }
      case 'maxclients':
        return ['warn', capabilityWarnings.nearMaxclients];
      case 'commands':
        // The log has each refused command.
        return null;
    }
  }
}

/**
 * Refuses to begin a new installation on a Redis that evicts keys. One that has data must start: its operator would lose the service, not the risk.
 * @throws {StartRefused} @throws {StoreError}
 */
export async function requireNoEviction(commands: Redis | Cluster, { evictionPolicy }: Capabilities): Promise<void> {
  if (evictionPolicy === null) return;
  const keys = [sharedKeys.dataVersion(), sharedKeys.accounts()];
  const found = await guarded(() => Promise.all(keys.map((key) => commands.exists(key))));
  if (found.some((count) => count > 0)) return;
  throw new StartRefused(
    `Redis evicts keys when its memory is full, and would delete accounts, robots and events: its maxmemory-policy is ${evictionPolicy}. ` +
      'Set it to noeviction, or use another Redis. To begin a new installation on this one all the same, set PERCH_REDIS_ALLOW_EVICTION=true.',
  );
}

const noeviction = 'noeviction';

const unknown: Facts = { isMaster: null, evictionPolicy: null, aof: null, hasRoom: null, isFromFailover: null, waitaof: null, noWaitaof: '' };

function valueOf(name: Exclude<RedisCapability, 'commands'>, facts: Facts): boolean | null {
  switch (name) {
    case 'master':
      return facts.isMaster;
    case 'noeviction':
      return facts.evictionPolicy === null ? null : facts.evictionPolicy === noeviction;
    case 'aof':
      return facts.aof;
    case 'waitaof':
      return facts.waitaof;
    case 'maxclients':
      return facts.hasRoom;
  }
}

async function factsOf(node: Redis): Promise<Omit<Facts, 'waitaof' | 'noWaitaof'>> {
  const info = await node.info().catch(() => '');
  // Redis Enterprise reports some fields without a value (sidekiq issue 5712).
  const field = (name: string): string | null => new RegExp(`^${name}:([^\\s]+)`, 'm').exec(info)?.[1] ?? null;
  const [role, aof, clients, clientsMax] = [field('role'), field('aof_enabled'), field('connected_clients'), field('maxclients')];
  // Redis counts the connections between the nodes of a Cluster, too.
  const connected = Number(clients) + Number(field('cluster_connections') ?? 0);
  return {
    isMaster: role === null ? null : role === 'master',
    evictionPolicy: field('maxmemory_policy'),
    aof: aof === null ? null : aof === '1',
    isFromFailover: role === null ? null : Number(field('connected_slaves') ?? 0) > 0 || /[1-9a-f]/.test(field('master_replid2') ?? ''),
    hasRoom: clients === null || clientsMax === null ? null : connected <= clientsShareMax * Number(clientsMax),
  };
}

/** Asks for no confirmation, so that Redis replies at once. */
async function waitaofOf(node: Redis): Promise<Pick<Facts, 'waitaof' | 'noWaitaof'>> {
  try {
    await node.call('WAITAOF', '0', '0', '0');
    return { waitaof: true, noWaitaof: '' };
  } catch (error) {
    const { message } = error as Error;
    return /^NOPERM|unknown command|not (?:implemented|supported)/i.test(message)
      ? { waitaof: false, noWaitaof: message }
      : { waitaof: null, noWaitaof: '' };
  }
}

export const capabilityWarnings = {
  replica: 'Redis is a replica, not a master: it refuses every write. PERCH_REDIS_URL must lead to the master.',
  noAppendOnly: 'Redis has no append-only file: if it stops, every acknowledged write since its last snapshot is lost. Set appendonly yes.',
  evicts: (policy: string) =>
    `Redis evicts keys when its memory is full, including those of accounts and robots: its maxmemory-policy is ${policy}. Set noeviction.`,
  openToAll:
    'Redis serves clients without a password: its user default is on, although there are users. Turn it off: ACL SETUSER default off resetpass.',
  noReplica: 'A Redis master has no connected replica: nothing can be promoted if it fails, and acknowledged writes are only on its disk.',
  cannotWaitForReplica: (why: string) => `Redis cannot tell when a replica has a write, so a failover may lose an acknowledged write: ${why}`,
  cannotWait: (why: string) => `Redis cannot tell when a write is on disk, so an acknowledged write may be lost with its last 2 s: ${why}`,
  mayNotWait: (why: string) => `${capabilityWarnings.cannotWait(why)}. Write its users file anew (deploy/redis/write-users.sh).`,
  nearMaxclients:
    'Redis has more than 80 % of the clients that its maxclients permits; beyond that it refuses connections. docs/operate/size.md says how many Perch needs.',
};
