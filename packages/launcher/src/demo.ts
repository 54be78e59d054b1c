/** Demo account, key and robot of `npm start`: saved in `.perch/demo.json` (mode 0600) and reused while they are valid. */
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
 * Returns the saved demo of this Redis if its key and token are valid and no other start has its robot online; otherwise creates a new one, which is
 * saved if the Redis persists its data and no valid demo is saved.
 */
export async function openDemo(store: Store, redis: OpenRedis, stateDir: string): Promise<Demo> {
  if (redis.persistence === 'none') return createDemo(store);
  const name = redis.persistence === 'own' ? 'own' : sha256(redis.url).slice(0, 16);
  const file = join(stateDir, 'demo.json');
  const saved = readDemos(file)[name];
  if (saved !== undefined && (await isValid(store, saved))) {
    if (redis.persistence === 'own' || (await store.leases.find(saved.robot)).state !== 'held') return saved;
    return createDemo(store);
  }
  const demo = await createDemo(store);
  writeDemos(file, { ...readDemos(file), [name]: demo });
  return demo;
}

async function isValid(store: Store, demo: Demo): Promise<boolean> {
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
