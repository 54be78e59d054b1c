/** Checks of what a client must be able to do. Each throws with the reason why it cannot. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestRobot } from '@perch/launcher';
import { freePort, until } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import { PageSession } from '../fixture/clients/page-session.js';
import { left, questionShown } from '../fixture/robots/question.js';
import { passForTokens } from '../fixture/system/later-tokens.js';
import type { SystemUnderTest, Tenant } from '../fixture/system/system-under-test.js';
import { ClientProcess } from './client-process.js';
import type { Program } from './installed.js';

/** Columns of the table, in the order in which they are checked. */
export const checkNames = [
  'connect, list',
  'each tool',
  'ask',
  'cancel',
  'OAuth, refresh after an hour',
  'two processes, one login',
  'wait past 60 s',
] as const;
export type CheckName = (typeof checkNames)[number];

export interface Bench {
  system: SystemUnderTest;
  program: Program;
}

/** Life of an access token, and the time for the calls that are open at its end (packages/store/src/oauth/grants.ts). */
const accessMs = 3_600_000 + 150_000;

const question = { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] };

const calls = (id: string): [tool: string, args: object][] => [
  ['robot_list', {}],
  ['robot_say', { text: 'Hi', seconds: 1 }],
  ['robot_show', { title: 'Build', text: '42 %', progress: 0.42 }],
  ['robot_face', { emotion: 'happy' }],
  ['robot_move', { yaw: 10, pitch: 20 }],
  ['robot_leds', { color: 'red', robot: id }],
  ['robot_sound', { volume: 40 }],
  ['robot_speak', { text: 'Hello' }],
  ['robot_command', { command: 'brightness', args: { pct: 60 } }],
  ['robot_ask', { ...question, timeout_s: 0.3 }],
  // Items as objects: of alternatives LangChain's adapters keep only those (simplifyJsonSchemaForLLM), and refuse texts before they send them.
  ['robot_menu', { items: [{ label: 'a' }, { label: 'b' }], timeout_s: 0.3 }],
  ['robot_clickmap', { regions: [{ id: 'r', rect: [0, 0, 9, 9] }], timeout_s: 0.3 }],
  ['robot_events', { after: 0, seconds: 0 }],
  ['robot_state', {}],
  ['robot_scene', { actions: [{ action: 'face', emotion: 'happy' }] }],
  ['robot_group', { label: 'all', action: 'face', args: { emotion: 'sad' } }],
  ['robot_stop', {}],
];

/** A tenant with a robot, and clients that close with it. */
class Stage {
  readonly tenant: Tenant;
  readonly id: string;
  readonly robot: VirtualRobot;
  readonly #bench: Bench;
  readonly #clients: ClientProcess[] = [];
  #page: PageSession | null = null;

  private constructor(bench: Bench, tenant: Tenant, { id, robot }: TestRobot) {
    this.#bench = bench;
    this.tenant = tenant;
    this.id = id;
    this.robot = robot;
  }

  static async open(bench: Bench): Promise<Stage> {
    const tenant = await bench.system.tenant();
    return new Stage(bench, tenant, await tenant.robot());
  }

  get url(): string {
    return `${this.#bench.system.gateway()}/mcp`;
  }

  client(): ClientProcess {
    const client = new ClientProcess(this.#bench.program, (address) => this.#allow(address));
    this.#clients.push(client);
    return client;
  }

  async connected(): Promise<ClientProcess> {
    const client = this.client();
    await client.connect({ url: this.url, key: this.tenant.key });
    return client;
  }

  /** Does what the page of consent does when its user presses Allow. */
  async #allow(address: string): Promise<string> {
    this.#page ??= await PageSession.begin(this.#bench.system, this.tenant.account);
    const granted = { query: new URL(address).search.slice(1), robots: '*', scopes: ['read', 'act', 'ask'] };
    const { status, body } = await this.#page.ask('POST', 'authorizations', granted);
    assert.equal(status, 200, JSON.stringify(body));
    return body.redirect as string;
  }

  /** Lets an hour pass and the time for open calls, for the clients' clocks and for their tokens. */
  async anHourLater(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.later(accessMs)));
    await passForTokens(this.#bench.system.store, this.tenant.account, accessMs);
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.robot.stop();
  }
}

async function okOf(client: ClientProcess, tool: string, args: object): Promise<unknown> {
  const { answer, isError } = await client.call(tool, args).result.catch((error: Error) => assert.fail(`${tool}: ${error.message}`));
  assert.ok(!isError && answer.ok === true, `${tool}: ${JSON.stringify(answer)}`);
  return answer;
}

async function askAndTap(stage: Stage, client: ClientProcess, not?: string): Promise<void> {
  const { result } = client.call('robot_ask', question);
  result.catch(() => undefined);
  await Promise.race([questionShown(stage.robot, not), result.then(({ answer }) => assert.fail(JSON.stringify(answer)))]);
  await stage.robot.tap(...left);
  const { answer } = await result;
  assert.deepEqual([answer.outcome, answer.answer], ['answered', 'Tea']);
}

async function oauthFolder<T>(use: (login: { folder: string; callback: string }) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'perch-compat-'));
  try {
    return await use({ folder, callback: `http://127.0.0.1:${await freePort()}/callback` });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const checks: Readonly<Record<CheckName, (stage: Stage) => Promise<void>>> = {
  'connect, list': async (stage) => {
    const listed = (await (await stage.connected()).list()).map(({ name }) => name);
    assert.deepEqual(listed.toSorted(), ['robot_answer', ...calls('').map(([tool]) => tool)].toSorted());
  },
  'each tool': async (stage) => {
    const client = await stage.connected();
    for (const [tool, args] of calls(stage.id)) await okOf(client, tool, args);
    const { wait } = (await okOf(client, 'robot_ask', { ...question, detach: true })) as { wait: string };
    await okOf(client, 'robot_answer', { wait, seconds: 0 });
  },
  ask: async (stage) => askAndTap(stage, await stage.connected()),
  cancel: async (stage) => {
    const client = await stage.connected();
    const { result, cancel } = client.call('robot_ask', { ...question, timeout_s: 60 });
    const ended = result.catch((error: Error) => error);
    const first = await questionShown(stage.robot);
    await cancel();
    await stage.robot.until(({ screen }) => screen.question === null, { what: 'the question to be taken away' });
    await ended;
    await askAndTap(stage, client, first);
  },
  'OAuth, refresh after an hour': (stage) =>
    oauthFolder(async (login) => {
      const client = stage.client();
      await client.connect({ url: stage.url, ...login });
      await okOf(client, 'robot_state', {});
      for (let hour = 1; hour <= 2; hour++) {
        await stage.anHourLater();
        await okOf(client, 'robot_state', {});
      }
      assert.equal(client.consents, 1, 'consents');
    }),
  'two processes, one login': (stage) =>
    oauthFolder(async (login) => {
      const [one, two] = [stage.client(), stage.client()];
      await one.connect({ url: stage.url, ...login });
      await two.connect({ url: stage.url, ...login });
      const both = (): Promise<unknown> => Promise.all([okOf(one, 'robot_state', {}), okOf(two, 'robot_state', {})]);
      await both();
      await stage.anHourLater();
      await both();
      await stage.anHourLater();
      for (const each of [one, two, one]) await okOf(each, 'robot_state', {});
      assert.equal(one.consents + two.consents, 1, 'consents');
    }),
  'wait past 60 s': async (stage) => {
    const client = await stage.connected();
    const begun = performance.now();
    const pending = client.call('robot_ask', { ...question, timeout_s: 110 }).result;
    pending.catch(() => undefined);
    await questionShown(stage.robot);
    const { answer: early } = await pending;
    assert.equal(early.outcome, 'pending', JSON.stringify(early));
    const read = client.call('robot_answer', { wait: early.wait, seconds: 40 }).result;
    read.catch(() => undefined);
    await until(() => performance.now() - begun > 62_000, { what: '62 s', timeoutMs: 70_000 });
    await stage.robot.tap(...left);
    const { answer } = await read;
    assert.deepEqual([answer.outcome, answer.answer], ['answered', 'Tea']);
  },
};

/** @returns null: passed; else the reason */
export async function checked(bench: Bench, name: CheckName): Promise<string | null> {
  const stage = await Stage.open(bench);
  try {
    await checks[name](stage);
    return null;
  } catch (error) {
    return (error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 500);
  } finally {
    await stage.close();
  }
}
