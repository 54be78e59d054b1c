/**
 * Writes the golden files of a release with the code of that release, once, when it is published:
 *
 *   git worktree add --detach ../release-X.Y.Z COMMIT && (cd ../release-X.Y.Z && npm run build)
 *   node --import tsx packages/store/test/golden/write.ts X.Y.Z ../release-X.Y.Z
 *
 * COMMIT is the commit in deploy/releases.json, or HEAD for the release in preparation. Requires redis-server.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { redisProcess } from '@perch/testkit';
import type { Store, StoreOptions } from '../../src/index.js';
import { isTransient, ownPart, valueOf, withoutRun } from './bytes.js';
import { sentBy, type Golden } from './golden.js';
import { steps } from './scenario.js';
import type { Facts } from './step.js';

const [releaseName, root] = process.argv.slice(2);
if (root !== undefined) await write(releaseName!, resolve(root));

async function write(name: string, from: string): Promise<void> {
  const load = (path: string): Promise<unknown> => import(pathToFileURL(`${from}/packages/store/dist/${path}`).href);
  const { openStore } = (await load('index.js')) as { openStore(options: StoreOptions): Promise<Store> };
  const { formats: known } = (await load('redis/formats.js')) as { formats: Record<string, { writes: number }> };
  const versionOf = (format: string): number => known[format]!.writes;
  const redis = await redisProcess();
  const store = await openStore({ url: redis.url, instance: 'gw-golden' });
  const folder = new URL(`./${name}/`, import.meta.url);
  mkdirSync(folder, { recursive: true });
  const keep = (noun: string, value: unknown): void => writeFileSync(new URL(`${noun}.json`, folder), `${JSON.stringify(value, null, 2)}\n`);

  const facts: Facts = {};
  for (const step of steps) await step.write(store, facts);
  const all = (await store.connections.commands.keys('*')).toSorted();
  const files: [string, Golden][] = [];
  for (const { noun, formats, keys } of steps) {
    const own = all.filter((key) => !isTransient(key) && keys.test(withoutRun(key, facts)));
    const values = await Promise.all(own.map(async (key) => [key, ownPart(noun, await valueOf(store.connections.commands, key))] as const));
    const versions = Object.fromEntries(formats.map((format) => [format, versionOf(format)]));
    files.push([noun, { versions, keys: Object.fromEntries(values), read: null }]);
  }
  for (const [i, step] of steps.entries()) keep(step.noun, { ...files[i]![1], read: (await step.read(store, facts)) ?? null });
  keep('facts', facts);
  keep('messages', await sentBy(store, openStore, redis.url, versionOf('message')));
  await store.gatewayMailbox.receive('gw-golden', () => {});
  keep('announcement', { text: await store.connections.commands.get('perch:{gw-golden}:reads') });
  await store.close();
  await redis.stop();
}
