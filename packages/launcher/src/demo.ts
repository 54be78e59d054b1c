/** Demo account, key and robot of `npm start`: saved in `.perch/demo.json` (mode 0600) and reused as long as the account exists. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import type { Store } from '@perch/store';
import type { OpenRedis } from './open-redis.js';

export interface Demo {
  account: string;
  apiKey: string;
  robot: string;
  robotToken: string;
}

/** Demos by Redis server: the local one under `own`, a given one under a hash of its URL, which may contain a password. */
type DemoFile = Record<string, Demo>;

/**
 * Returns the saved demo of this Redis if its account exists and no other start has its robot online, with a new key or robot in place of one that no
 * longer works; otherwise creates a new demo, which is saved if the Redis persists its data and no demo with an account is saved.
 */
export async function openDemo(
  store: Store,
  redis: Pick<OpenRedis, 'persistence' | 'url'>,
  stateDir: string,
  print: (line: string) => void,
): Promise<Demo> {
  if (redis.persistence === 'none') return createDemo(store);
  const name = redis.persistence === 'own' ? 'own' : sha256(redis.url).slice(0, 16);
  const file = join(stateDir, 'demo.json');
  const saved = readDemos(file)[name];
  const hasAccount = saved !== undefined && (await store.accounts.get(saved.account)) !== null;
  if (hasAccount && redis.persistence !== 'own' && (await store.leases.find(saved.robot)).state === 'held') return createDemo(store);
  if (saved !== undefined && !hasAccount) print(`the demo account ${saved.account} does not exist in this Redis: created a new one`);
  const demo = hasAccount ? await mended(store, saved, print) : await createDemo(store);
  if (demo !== saved) writeDemos(file, { ...readDemos(file), [name]: demo });
  return demo;
}

/** Returns the saved demo itself if its key and its token work. */
async function mended(store: Store, saved: Demo, print: (line: string) => void): Promise<Demo> {
  const { account } = saved;
  let demo = saved;
  const robot = await store.robots.byToken(saved.robotToken);
  if (robot?.id !== saved.robot || robot.account !== account) {
    demo = { ...demo, ...(await createRobot(store, account)) };
    print(`the demo robot ${saved.robot} was removed or has another token: created ${demo.robot} in the same account`);
  }
  const admission = await store.apiKeys.admit({ apiKey: saved.apiKey, robot: { id: demo.robot, account }, cost: 0 });
  if (!admission.ok || admission.account !== account) {
    demo = { ...demo, apiKey: await createKey(store, account) };
    print(`the API key of the demo account ${account} was revoked or replaced: created a new one in the same account`);
  }
  return demo;
}

async function createDemo(store: Store): Promise<Demo> {
  const account = await createAccount(store);
  return { account, apiKey: await createKey(store, account), ...(await createRobot(store, account)) };
}

async function createKey(store: Store, account: string): Promise<string> {
  return (await store.apiKeys.create({ account, name: 'demo' })).apiKey;
}

async function createRobot(store: Store, account: string): Promise<Pick<Demo, 'robot' | 'robotToken'>> {
  const { robot, token } = await store.robots.create({ account, name: 'Demo robot' });
  return { robot, robotToken: token };
}

async function createAccount(store: Store): Promise<string> {
  try {
    return (await store.accounts.create({ email: 'demo@localhost' })).account;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The address is taken by an earlier demo whose credentials are lost, or by another checkout.
    return (await store.accounts.create({ email: `demo-${randomBytes(4).toString('hex')}@localhost` })).account;
  }
}

function readDemos(file: string): DemoFile {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DemoFile;
  } catch {
    return {};
  }
}

function writeDemos(file: string, demos: DemoFile): void {
  mkdirSync(join(file, '..'), { recursive: true });
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(demos, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, file);
}
