import type { Direction, TcpProxy, NetworkConditions } from '@perch/testkit';
import type { Random } from '../../random.js';
import type { Instance } from '../../system/instance.js';
import type { Track } from '../../system/spans.js';
import type { System } from '../../system/system.js';
import { defineFault } from '../define-fault.js';
import type { Fault } from '../fault.js';

export interface ConnectionGroup {
  of: (system: System) => readonly Instance[];
  proxy: (instance: Instance) => TcpProxy | null;
  track: (instance: Instance) => Track;
  /** Only a single Redis is behind a proxy; clients of a Cluster reach the nodes directly. */
  on: Fault['on'];
  text: string;
}

export const programs: ConnectionGroup = {
  of: ({ gateways }) => gateways,
  proxy: ({ clients }) => clients,
  track: ({ reachable }) => reachable,
  on: 'both',
  text: 'programs',
};
export const robots: ConnectionGroup = { ...programs, of: ({ links }) => links, text: 'robots' };
export const redis: ConnectionGroup = {
  of: ({ instances }) => instances,
  proxy: (one) => one.redis,
  track: ({ served }) => served,
  on: 'single',
  text: 'Redis',
};

const directions: readonly Direction[] = ['to_server', 'to_client', 'both'];

export function cutConnections(kind: string, group: ConnectionGroup): Fault {
  return defineFault(kind, group.on, ({ system }, random, undo) => {
    const { victim, proxy } = draw(system, random, group);
    undo.impair(group.track(victim));
    const refuses = random.chance(0.5);
    proxy.refusing = refuses;
    undo.add(() => (proxy.refusing = false));
    const count = proxy.connections.length;
    proxy.cut();
    const what = `${count} connections of ${victim.place} to ${group.text} cut${refuses ? ', dials refused' : ''}`;
    return Promise.resolve({ what, holdMs: random.between(refuses ? 500 : 0, refuses ? 4000 : 1000) });
  });
}

/** The connections are cut in the end, since their streams are corrupt. */
export function halfOpenConnections(kind: string, group: ConnectionGroup): Fault {
  return defineFault(kind, group.on, ({ system }, random, undo) => {
    const { victim, proxy } = draw(system, random, group);
    const dropped = random.pick(directions);
    undo.impair(group.track(victim));
    undo.add(() => proxy.cut());
    impose(proxy, { drop: dropped }, undo);
    return Promise.resolve({ what: `connections of ${victim.place} to ${group.text} drop ${dropped}`, holdMs: random.between(1000, 6000) });
  });
}

export function heldConnections(kind: string, group: ConnectionGroup): Fault {
  return defineFault(kind, group.on, ({ system }, random, undo) => {
    const { victim, proxy } = draw(system, random, group);
    const hold = random.pick(directions);
    undo.impair(group.track(victim));
    impose(proxy, { hold }, undo);
    return Promise.resolve({ what: `connections of ${victim.place} to ${group.text} hold ${hold}`, holdMs: random.between(800, 5000) });
  });
}

export function slowConnections(kind: string, group: ConnectionGroup): Fault {
  return defineFault(kind, group.on, ({ system }, random, undo) => {
    const { victim, proxy } = draw(system, random, group);
    const delayMs = [random.int(5, 100), random.int(150, 400)] as const;
    undo.impair(group.track(victim));
    impose(proxy, { delayMs }, undo);
    return Promise.resolve({
      what: `connections of ${victim.place} to ${group.text} take ${delayMs.join('-')} ms`,
      holdMs: random.between(1500, 4000),
    });
  });
}

export function choppedConnections(kind: string, group: ConnectionGroup): Fault {
  return defineFault(kind, group.on, ({ system }, random, undo) => {
    const { victim, proxy } = draw(system, random, group);
    const pieces = random.int(1, 9);
    undo.impair(group.track(victim));
    impose(proxy, { chunkBytes: pieces }, undo);
    return Promise.resolve({ what: `connections of ${victim.place} to ${group.text} in pieces of ${pieces}`, holdMs: random.between(1500, 3000) });
  });
}

export function draw(system: System, random: Random, group: ConnectionGroup): { victim: Instance; proxy: TcpProxy } {
  const victim = random.pick(group.of(system));
  const proxy = group.proxy(victim);
  if (proxy === null) throw new Error(`${victim.place} has no proxy to ${group.text}`);
  return { victim, proxy };
}

function impose(proxy: TcpProxy, conditions: NetworkConditions, undo: { add(step: () => unknown): void }): void {
  undo.add(() => (proxy.conditions = {}));
  proxy.conditions = conditions;
}
