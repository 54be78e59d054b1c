/** The demo account, key and robot of `npm start`: kept in `.perch/demo.json` (for its owner's eyes only) and used again while they still work. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '@perch/schema';
import type { Store } from '@perch/store';
import type { OpenRedis } from './open-redis.js';

export interface Demo {
  account: string;
  apiKey: string;
  robot: string;
  robotToken: string;
}

/** Several Redis servers, each with its own demo: the local one under `own`, a given one under a hash of its URL, which may hold a password. */
type DemoFile = Record<string, Demo>;

/**
 * The demo that this Redis knows: the kept one where its key and its token still work and no other start has its robot online, else a new one.
 * A new one is kept where the Redis keeps its data, too.
 */
export async function openDemo(store: Store, redis: OpenRedis, stateDir: string): Promise<Demo> {
  if (redis.keeps === 'nothing') return createDemo(store);
  const name = redis.keeps === 'own' ? 'own' : createHash('sha256').update(redis.url).digest('hex').slice(0, 16);
  const file = join(stateDir, 'demo.json');
  const kept = readDemos(file)[name];
  if (kept !== undefined && (await works(store, kept))) {
    if (redis.keeps === 'own' || (await store.leases.find(kept.robot)).state !== 'held') return kept;
    return createDemo(store);
  }
  const demo = await createDemo(store);
  writeDemos(file, { ...readDemos(file), [name]: demo });
  return demo;
}

async function works(store: Store, demo: Demo): Promise<boolean> {
  const admission = await store.apiKeys.admit({ apiKey: demo.apiKey, robot: { id: demo.robot, account: demo.account }, cost: 0 });
  const robot = await store.robots.byToken(demo.robotToken);
  return admission.ok && admission.account === demo.account && robot?.id === demo.robot;
}

async function createDemo(store: Store): Promise<Demo> {
  const account = await createAccount(store);
  const { apiKey } = await store.apiKeys.create({ account, name: 'demo' });
  const { robot, token } = await store.robots.create({ account, name: 'Demo robot' });
  return { account, apiKey, robot, robotToken: token };
}

async function createAccount(store: Store): Promise<string> {
  try {
    return (await store.accounts.create({ email: 'demo@localhost' })).account;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The address is taken: an earlier demo whose credentials are lost, or that of another checkout.
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
