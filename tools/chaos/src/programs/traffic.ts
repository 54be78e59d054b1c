/** Callers, askers and readers of two accounts, through every gateway; callers also try robots of the other account. */
import { setTimeout as pause } from 'node:timers/promises';
import type { History } from '../history/history.js';
import type { Marks } from '../history/marks.js';
import type { Random } from '../random.js';
import { callWithRetries } from './retried-call.js';
import { Client, type Address, type ClientKey } from './client.js';
import { planAction, planProbe, planQueuedQuestion, planWait } from './plan.js';
import { readAll, readOn } from './reader.js';

export interface Tenant {
  account: string;
  robots: readonly string[];
  keys: readonly ClientKey[];
  /** Revoked while the fault is in effect. */
  revoked: ClientKey;
}

export interface TrafficOptions {
  tenants: readonly Tenant[];
  gateways: readonly Address[];
  history: History;
  random: Random;
  marks: Marks;
}

const callers = 3;
const askers = 4;

export function keysOf(robots: number): number {
  return callers + askers + robots;
}

export class Traffic {
  readonly #options: TrafficOptions;
  readonly #programs: Promise<void>[] = [];
  readonly #clients: ReadonlyMap<string, Client>;
  #running = true;

  constructor(options: TrafficOptions) {
    this.#options = options;
    const finals = new Map<string, Client>();
    for (const tenant of options.tenants) {
      const foreignRobots = options.tenants.filter(({ account }) => account !== tenant.account).flatMap(({ robots }) => robots);
      const random = options.random.fork(`account ${options.tenants.indexOf(tenant)}`);
      const clients = tenant.keys.map((key) => new Client(tenant.account, key, options.history));
      let next = 0;
      const client = (): Client => clients[next++ % clients.length]!;
      for (let i = 0; i < callers; i += 1) this.#programs.push(this.#call(client(), tenant.robots, foreignRobots, random.fork(`caller ${i}`)));
      for (let i = 0; i < askers; i += 1) this.#programs.push(this.#ask(client(), tenant.robots, random.fork(`asker ${i}`)));
      const revoked = new Client(tenant.account, tenant.revoked, options.history);
      this.#programs.push(this.#call(revoked, tenant.robots, [], random.fork('revoked caller')));
      this.#programs.push(this.#ask(revoked, tenant.robots, random.fork('revoked asker')));
      for (const [i, robot] of tenant.robots.entries()) {
        const own = client();
        finals.set(robot, own);
        const reader = { name: `reader ${robot}`, client: own, robot, gateways: options.gateways, random: random.fork(`reader ${i}`) };
        this.#programs.push(readOn({ ...reader, names: i % 3 === 2 ? ['tap', 'pat', 'tag'] : null }, () => this.#running));
      }
    }
    this.#clients = finals;
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#programs);
  }

  /** Returns the reads that failed, as `robot gateway`. */
  async finalReads(): Promise<string[]> {
    const failed: string[] = [];
    for (const gateway of this.#options.gateways) {
      const read = async ([robot, client]: [string, Client]): Promise<void> => {
        if (!(await readAll(client, robot, gateway))) failed.push(`${robot} ${gateway.place}`);
      };
      await Promise.all([...this.#clients].map(read));
    }
    return failed;
  }

  /** On every robot through every gateway until it is ok. @returns those not ok within `withinMs`, as `robot gateway: last answer` */
  async probe(withinMs: number): Promise<string[]> {
    const { gateways, marks } = this.#options;
    const until = performance.now() + withinMs;
    const one = async (robot: string, client: Client, gateway: Address): Promise<string | null> => {
      for (;;) {
        const { ending } = await client.act(gateway, robot, planProbe(marks));
        if (ending?.how === 'answered' && ending.status === 200) return null;
        if (performance.now() > until) return `${robot} ${gateway.place}: ${JSON.stringify(ending)}`;
        await pause(200);
      }
    };
    const probes = [...this.#clients].flatMap(([robot, client]) => gateways.map((gateway) => one(robot, client, gateway)));
    return (await Promise.all(probes)).filter((failure) => failure !== null);
  }

  async #call(client: Client, robots: readonly string[], foreignRobots: readonly string[], random: Random): Promise<void> {
    const { gateways, marks } = this.#options;
    while (this.#running) {
      await pause(random.between(40, 200));
      const gateway = random.pick(gateways);
      const drawn = random.next();
      if (drawn < 0.02) await client.inspect(gateway, null);
      else if (drawn < 0.04) await client.inspect(gateway, random.pick(robots));
      else if (drawn < 0.06 && foreignRobots.length > 0) await client.act(gateway, random.pick(foreignRobots), planAction(random, marks));
      else if (drawn < 0.3) await callWithRetries({ client, gateways, robot: random.pick(robots), random, marks }, () => this.#running);
      else
        await client.act(gateway, random.pick(robots), planAction(random, marks), { hangUpMs: random.chance(0.03) ? random.between(0, 60) : null });
    }
  }

  async #ask(client: Client, robots: readonly string[], random: Random): Promise<void> {
    const { gateways, marks } = this.#options;
    while (this.#running) {
      const robot = random.pick(robots);
      const asking = random.chance(0.15)
        ? [
            client.act(random.pick(gateways), robot, planQueuedQuestion(random, marks), {
              hangUpMs: random.chance(0.12) ? random.between(0, 3000) : null,
            }),
          ]
        : [];
      asking.push(
        client.act(random.pick(gateways), robot, planWait(random, marks), { hangUpMs: random.chance(0.12) ? random.between(0, 900) : null }),
      );
      if (random.chance(0.25)) {
        await pause(random.between(0, 500));
        if (this.#running) asking.push(client.act(random.pick(gateways), robot, planWait(random, marks)));
      }
      await Promise.all(asking);
      await pause(random.between(50, 300));
    }
  }
}
