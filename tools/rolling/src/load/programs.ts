/** The programs of a phase. They call through HAProxy, each call once: a failed call counts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'node:http';
import { Client, planRead, planWait, readAll, type Address, type Call, type TestRobots, type History, type Marks, type Random } from '@perch/chaos';
import { planAction, planSound } from './plans.js';
import type { Role, RobotWithRole, Tenant } from './roles.js';
import { SoundWatch } from './sounds.js';
import { StreamReader } from './stream-reader.js';

export interface ProgramsOptions {
  tenants: readonly Tenant[];
  testRobots: TestRobots;
  address: Address;
  history: History;
  random: Random;
  marks: Marks;
  waitTimeoutsS: readonly number[];
}

const callers = 3;
const callerPauseMs = [200, 600] as const;
const inspectorPauseMs = [500, 1500] as const;
const askerPauseMs = [200, 1500] as const;
const pollS = [2, 5, 10] as const;
const keyedShare = 0.2;
const soundWithinMs = 15_000;
const logWithinMs = 10_000;

export class Programs {
  readonly sounds: SoundWatch;
  readonly streams: StreamReader[] = [];
  readonly #options: ProgramsOptions;
  readonly #running: Promise<void>[] = [];
  readonly #readers = new Map<string, Client>();
  readonly #agents: Agent[] = [];
  #stopped = false;

  private constructor(options: ProgramsOptions) {
    this.#options = options;
    this.sounds = new SoundWatch(options.testRobots.all);
  }

  static async start(options: ProgramsOptions): Promise<Programs> {
    const programs = new Programs(options);
    await Promise.all(options.tenants.map((tenant) => programs.#startPrograms(tenant)));
    return programs;
  }

  /** Resolves when all calls are answered and all sounds are over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
    const until = performance.now() + soundWithinMs;
    while (this.sounds.playing && performance.now() < until) await sleep(100);
    this.sounds.stop();
  }

  /** Reads every robot's log once more, and waits until its stream has reached the end. @returns what could not be read */
  async finish(lastSeqOf: (robot: string) => number): Promise<string[]> {
    const failed: string[] = [];
    for (const [robot, client] of this.#readers) {
      if (!(await readAll(client, robot, this.#options.address))) failed.push(`the events of ${robot} could not be read`);
    }
    for (const stream of this.streams) {
      const last = lastSeqOf(stream.robot);
      if (!(await stream.reaches(last, logWithinMs))) failed.push(`the stream of ${stream.robot} did not reach event ${last}`);
    }
    await Promise.all(this.streams.map((stream) => stream.stop()));
    for (const agent of this.#agents) agent.destroy();
    return failed;
  }

  async #startPrograms(tenant: Tenant): Promise<void> {
    const { random, history, address } = this.#options;
    const of = (...roles: Role[]): RobotWithRole[] => tenant.robots.filter(({ role }) => roles.includes(role));
    const chance = random.fork(`programs ${tenant.account}`);
    // The first caller keeps its connections, the others connect for each call.
    for (let i = 0; i < callers; i += 1) {
      const client = await this.#client(tenant, i === 0);
      this.#running.push(this.#act(client, of('cards', 'talk'), chance.fork(`caller ${i}`)));
    }
    this.#running.push(this.#inspect(await this.#client(tenant, true), tenant.robots, chance.fork('looker')));
    for (const { id } of of('asked')) this.#running.push(this.#ask(await this.#client(tenant, false), id, chance.fork(`asker ${id}`)));
    for (const { id } of of('sound')) this.#running.push(this.#play(await this.#client(tenant, false), id, chance.fork(`player ${id}`)));
    for (const [i, { id: robot, account }] of tenant.robots.entries()) {
      const reader = await this.#client(tenant, false);
      this.#readers.set(robot, reader);
      if (i % 3 === 0) {
        this.streams.push(new StreamReader({ url: address.url, robot, account, key: await tenant.newKey(), history }));
      } else this.#running.push(this.#poll(reader, robot, chance.fork(`reader ${robot}`)));
    }
  }

  async #client({ account, newKey }: Tenant, keepsConnections: boolean): Promise<Client> {
    const agent = keepsConnections ? new Agent({ keepAlive: true, maxSockets: 4 }) : undefined;
    if (agent !== undefined) this.#agents.push(agent);
    return new Client(account, await newKey(), this.#options.history, agent);
  }

  async #act(client: Client, robots: readonly RobotWithRole[], random: Random): Promise<void> {
    const { address, marks } = this.#options;
    while (!this.#stopped) {
      await sleep(random.between(...callerPauseMs));
      const { id, role } = random.pick(robots);
      const plan = planAction(role as 'cards' | 'talk', random, marks);
      // The robot must execute the call once. Excludes pictures: a redrawn one looks like a resent one.
      const key = plan.action !== 'show' && random.chance(keyedShare) ? `rolling-${marks.next('key')}` : null;
      await client.act(address, id, plan, { key });
      if (key === null || this.#stopped) continue;
      await sleep(random.between(...callerPauseMs));
      await client.act(address, id, plan, { key });
    }
  }

  async #inspect(client: Client, robots: readonly RobotWithRole[], random: Random): Promise<void> {
    while (!this.#stopped) {
      await sleep(random.between(...inspectorPauseMs));
      await client.inspect(this.#options.address, random.chance(0.5) ? null : random.pick(robots).id);
    }
  }

  async #ask(client: Client, robot: string, random: Random): Promise<void> {
    const { address, marks, waitTimeoutsS } = this.#options;
    while (!this.#stopped) {
      await client.act(address, robot, planWait(random, marks, waitTimeoutsS));
      await sleep(random.between(...askerPauseMs));
    }
  }

  async #play(client: Client, robot: string, random: Random): Promise<void> {
    const { address, marks, testRobots } = this.#options;
    const { core } = testRobots.all.find(({ id }) => id === robot)!;
    while (!this.#stopped) {
      await client.act(address, robot, planSound(random, marks));
      // The next melody would replace this one.
      while (core.playing !== null) await sleep(50);
      await sleep(random.between(...askerPauseMs));
    }
  }

  async #poll(client: Client, robot: string, random: Random): Promise<void> {
    let after = 0;
    while (!this.#stopped) {
      const call = await client.act(this.#options.address, robot, planRead(`poll ${robot}`, after, random.pick(pollS), null));
      after = lastSeqOf(call) ?? after;
      // A due event is answered at once.
      await sleep(random.between(100, 300));
    }
  }
}

function lastSeqOf({ ending }: Call): number | null {
  const last = ending?.how === 'answered' && ending.status === 200 ? ending.body['last_seq'] : null;
  return typeof last === 'number' ? last : null;
}
