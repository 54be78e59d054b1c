/**
 * Decides which of several bridges serves a robot: the one that the retained claim under the robot's topic names, while that bridge is alive. The
 * broker delivers claims in one order to every bridge, so that the last of two is the claim for both. A bridge of 0.10 knows no claims and carries
 * out every command: where it is online, the others leave its robots to it.
 *
 * A broker that crashes sends no last wills: the retained `online` of a bridge that died meanwhile stays. So a bridge is alive while its heartbeats
 * arrive, too. Bridges of 0.10 send none.
 */
import { Topics } from '../topics.js';
import type { Publish } from './robot-state.js';

export interface RobotClaimsOptions {
  topics: Topics;
  publish: Publish;
  /** Called when other robots may be this bridge's than before. */
  onChange(): void;
  /** How long a bridge that served a robot may be away before another takes the robot, ms. */
  graceMs?: number;
  /** How long a bridge may be online without a heartbeat, ms. */
  silentMs?: number;
  /** Monotonic time, ms. */
  now?: () => number;
}

interface RobotClaim {
  /** Key and client id of the bridge, as in its topics. */
  bridge: string;
  /** Discovery prefix under which the bridge announced the robot. */
  prefix: string;
}

/** Whose a robot is: this bridge's, nobody's (it may be claimed), soon nobody's, or that of the bridge with this name. */
export type Decision = { by: 'this' | 'nobody' | 'soon' } | { by: 'other'; bridge: string };

/** A restart takes less, and Home Assistant's users are to wait up to 30 s. */
const graceMsDefault = 10_000;
/** How often a bridge sends a heartbeat, and after how many of them it is dead. With the time until a bridge notices that, less than 30 s. */
export const heartbeatMs = 5_000;
const silentMsDefault = 3 * heartbeatMs;

export class RobotClaims {
  readonly #options: RobotClaimsOptions;
  readonly #graceMs: number;
  readonly #silentMs: number;
  readonly #now: () => number;
  readonly #online = new Set<string>();
  /** When a bridge was last heard of. */
  readonly #heardAt = new Map<string, number>();
  /** Bridges that know claims. */
  readonly #claiming = new Set<string>();
  /** Robots that bridges of a key list. */
  readonly #listed = new Map<string, ReadonlySet<string>>();
  readonly #claims = new Map<string, RobotClaim>();
  /** Robots that a bridge would serve if it could, by its name. */
  readonly #wanted = new Map<string, ReadonlySet<string>>();
  /** Robots that another bridge served when this one last looked. */
  readonly #others = new Set<string>();
  /** When a robot of another bridge was first without one. */
  readonly #freeSince = new Map<string, number>();
  /** Bridges from which this one took a robot. */
  readonly #succeeded = new Set<string>();

  constructor(options: RobotClaimsOptions) {
    this.#options = options;
    this.#graceMs = options.graceMs ?? graceMsDefault;
    this.#silentMs = options.silentMs ?? silentMsDefault;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Call before each subscription: the broker sends what it has retained, and may have lost what it had. */
  begin(): void {
    for (const known of [this.#online, this.#claiming, this.#listed, this.#claims, this.#wanted]) known.clear();
  }

  /** @returns whether the message is one of those that decide */
  receive(topic: string, payload: string): boolean {
    const { topics } = this.#options;
    const [kind, name] = topics.ofBridges(topic) ?? [];
    if (kind === undefined || name === undefined) return false;
    if (kind === 'alive') {
      const wasAlive = this.#isAlive(name);
      this.#heardAt.set(name, this.#now());
      if (wasAlive || !this.#online.has(name)) return true;
    } else if (kind === 'bridges') {
      if (payload === 'online') this.#online.add(name);
      else this.#online.delete(name);
      this.#heardAt.set(name, this.#now());
    } else if (kind === 'claims') {
      // Other messages on this topic find out when everything retained has arrived.
      const knows = objectIn(payload)?.['robots'];
      if (knows !== undefined) this.#claiming.add(name);
      else if (objectIn(payload)?.['number'] !== undefined) this.#claiming.delete(name);
      else return true;
    } else if (kind === 'published') this.#listed.set(name, new Set(idsIn(payload)));
    else if (kind === 'waiting') this.#wanted.set(name, new Set(idsIn(payload)));
    else this.#receiveClaim(name, payload);
    this.#options.onChange();
    return true;
  }

  decide(robot: string): Decision {
    const bridge = this.#bridgeOf(robot);
    if (bridge === this.#options.topics.name) {
      this.#others.delete(robot);
      return { by: 'this' };
    }
    if (bridge !== null) {
      this.#others.add(robot);
      this.#freeSince.delete(robot);
      return { by: 'other', bridge };
    }
    const claim = this.#claims.get(robot);
    if (!this.#others.has(robot) && claim === undefined) return { by: 'nobody' };
    // It was silent for longer than the pause.
    if (claim !== undefined && this.#online.has(claim.bridge)) return { by: 'nobody' };
    const since = this.#freeSince.get(robot) ?? this.#now();
    this.#freeSince.set(robot, since);
    return { by: this.#now() - since >= this.#graceMs ? 'nobody' : 'soon' };
  }

  /** Claims a robot. It is this bridge's once the broker has sent the claim back, unless another's came later. */
  take(robot: string): void {
    const { topics, publish } = this.#options;
    publish(topics.robot(robot).claim, JSON.stringify({ bridge: topics.name, prefix: topics.discoveryPrefix }), { retain: true });
  }

  /** Leaves a robot to the next bridge, at once. */
  release(robot: string): void {
    const { topics, publish } = this.#options;
    if (!this.isOwn(robot)) return;
    this.#claims.delete(robot);
    publish(topics.robot(robot).claim, '', { retain: true });
  }

  /** Call it when nothing is retained of a robot any longer. */
  forget(robot: string): void {
    this.#claims.delete(robot);
    const { keyId } = this.#options.topics;
    this.#listed.set(keyId, new Set([...this.listedBefore()].filter((id) => id !== robot)));
  }

  /** Returns whether another bridge that is online would serve the robot. */
  isWantedElsewhere(robot: string): boolean {
    return [...this.#wanted].some(([bridge, robots]) => bridge !== this.#options.topics.name && this.#isAlive(bridge) && robots.has(robot));
  }

  /**
   * Returns bridges whose robots this one has all taken over, and which are dead: their retained messages serve nobody, such as those of the same
   * bridge before its key got a new secret. Each is returned once.
   */
  takeSucceeded(): string[] {
    const claiming = new Set([...this.#claims.values()].map(({ bridge }) => bridge));
    const dead = [...this.#succeeded].filter((bridge) => !this.#isAlive(bridge) && !claiming.has(bridge));
    for (const bridge of dead) this.#succeeded.delete(bridge);
    return dead;
  }

  /** Returns whether another bridge with the same key is known. */
  hasKeyOf(bridge: string): boolean {
    const [key] = bridge.split('/');
    return [...this.#online, ...this.#wanted.keys(), this.#options.topics.name].some((name) => name !== bridge && name.startsWith(`${key}/`));
  }

  /** Returns whether the claim of a robot names another bridge, also one that is not online. */
  isClaimedElsewhere(robot: string): boolean {
    const claim = this.#claims.get(robot);
    return claim !== undefined && claim.bridge !== this.#options.topics.name;
  }

  isOwn(robot: string): boolean {
    return this.#claims.get(robot)?.bridge === this.#options.topics.name;
  }

  /** Returns the discovery prefix in the claim of a robot; null if there is none. */
  prefixOf(robot: string): string | null {
    return this.#claims.get(robot)?.prefix ?? null;
  }

  /** Returns the robots that this bridge claimed, also in an earlier run. */
  own(): string[] {
    return [...this.#claims].flatMap(([robot, { bridge }]) => (bridge === this.#options.topics.name ? [robot] : []));
  }

  /** Returns the robots that bridges with this key list, such as one of 0.10 before its upgrade. */
  listedBefore(): Iterable<string> {
    return this.#listed.get(this.#options.topics.keyId) ?? [];
  }

  /** Returns whether a bridge knows claims; if not, it is one of 0.10. */
  knowsClaims(bridge: string): boolean {
    return this.#claiming.has(bridge);
  }

  #bridgeOf(robot: string): string | null {
    const { topics } = this.#options;
    for (const bridge of this.#online) {
      if (bridge === topics.name || this.#claiming.has(bridge)) continue;
      const [key] = bridge.split('/') as [string];
      // A bridge of 0.10 with the same key serves the same robots, and shares the list.
      if (key === topics.keyId || this.#listed.get(key)?.has(robot) === true) return bridge;
    }
    const { bridge } = this.#claims.get(robot) ?? { bridge: null };
    return bridge === topics.name || (bridge !== null && this.#isAlive(bridge)) ? bridge : null;
  }

  #isAlive(bridge: string): boolean {
    if (!this.#online.has(bridge)) return false;
    return !this.#claiming.has(bridge) || this.#now() - (this.#heardAt.get(bridge) ?? -Infinity) < this.#silentMs;
  }

  #receiveClaim(robot: string, payload: string): void {
    const bridge = objectIn(payload)?.['bridge'];
    const prefix = prefixIn(payload);
    if (typeof bridge === 'string' && /^[\w-]+\/[\w-]+$/.test(bridge) && prefix !== null) {
      const before = this.#claims.get(robot)?.bridge;
      if (bridge === this.#options.topics.name && before !== undefined && before !== bridge) this.#succeeded.add(before);
      this.#claims.set(robot, { bridge, prefix });
    } else {
      this.#claims.delete(robot);
      // Released.
      this.#others.delete(robot);
    }
  }
}

/** Returns the discovery prefix in a claim. */
export function prefixIn(payload: string): string | null {
  const prefix = objectIn(payload)?.['prefix'];
  return typeof prefix === 'string' && Topics.isTopic(prefix) ? prefix : null;
}

/** Returns ids of robots in a JSON list. Each becomes part of topics. */
export function idsIn(payload: string): string[] {
  const ids = valueIn(payload);
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string' && /^[\w-]{1,64}$/.test(id)) : [];
}

function objectIn(payload: string): Partial<Record<string, unknown>> | null {
  const value = valueIn(payload);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}

function valueIn(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return null;
  }
}
