/** Compares the current code with the files that each release wrote (golden/<release>, by write.ts), so that no format changes without its version. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { release } from '@perch/schema';
import { needsRedisServer, redisProcess, until, type LocalRedis } from '@perch/testkit';
import { formats, type FormatName } from '../../src/redis/formats.js';
import { openStore, type Store } from '../../src/index.js';
import { instanceKeys } from '../../src/redis/keys.js';
import { wireVersions } from '../../src/messaging/wire-versions.js';
import { isTransient, ownPart, putValue, valueOf, withoutRun, type Value } from './bytes.js';
import { sentBy, type Golden, type GoldenMessages } from './golden.js';
import { steps } from './scenario.js';
import type { Facts, Step } from './step.js';

const releases = readdirSync(new URL('.', import.meta.url), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));

function fileOf(of: string, noun: string): URL {
  return new URL(`./${of}/${noun}.json`, import.meta.url);
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type of the file
function golden<T>(of: string, noun: string): T {
  return JSON.parse(readFileSync(fileOf(of, noun), 'utf8')) as T;
}

function stepsOf(of: string): Step[] {
  return steps.filter(({ noun }) => existsSync(fileOf(of, noun)));
}

/** Formats whose golden files contain the JSON that a reader receives unchanged. */
const parsed: Record<string, (key: string) => FormatName> = {
  jobs: (key) => (key.includes('webhook-deliveries') ? 'delivery_job' : key.includes('webhook-notices') ? 'notice_job' : 'render_job'),
  'account-actions': () => 'account_actions',
};

describe('golden files of the releases', () => {
  let redis: LocalRedis;
  let store: Store;
  before(async function () {
    needsRedisServer(this);
    redis = await redisProcess();
  });
  beforeEach(async () => {
    const cleaner = await openStore({ url: redis.url, instance: 'test-clean' });
    await cleaner.connections.commands.flushall();
    await cleaner.close();
    store = await openStore({ url: redis.url, instance: 'gw-golden' });
  });
  afterEach(() => store?.close());
  after(() => redis?.stop());

  /** Values by noun of the step and key, without the parts that differ between runs. */
  const texts = (keys: Record<string, Value>, facts: Facts): Record<string, string> =>
    Object.fromEntries(Object.entries(keys).map(([key, value]) => [withoutRun(key, facts), withoutRun(JSON.stringify(value), facts)]));

  it('golden files exist for this release and for each one in deploy/releases.json', () => {
    const earlier = JSON.parse(readFileSync(new URL('../../../../deploy/releases.json', import.meta.url), 'utf8')) as Record<string, string>;
    assert.deepEqual(releases.toSorted(), [...Object.keys(earlier), release].toSorted());
  });

  it('covers every format of this release in the version that it writes', () => {
    const versions = Object.assign({}, ...stepsOf(release).map(({ noun }) => golden<Golden>(release, noun).versions)) as Record<string, number>;
    const kept = { ...versions, message: golden<GoldenMessages>(release, 'messages').version, announcement: 1 };
    assert.deepEqual(kept, Object.fromEntries(Object.entries(formats).map(([name, { writes }]) => [name, writes])));
    for (const { reads, writes } of Object.values(formats)) assert.ok((reads as readonly number[]).includes(writes));
  });

  for (const of of releases) {
    it(`reads the data of ${of} as ${of} did`, async () => {
      const facts = golden<Facts>(of, 'facts');
      const written = /"created_at":"(\d{13})"/.exec(JSON.stringify(golden<Golden>(of, 'account')))![1]!;
      const age = Math.round(store.clock.now()) - Number(written);
      for (const { noun, expires } of stepsOf(of)) {
        for (const [key, value] of Object.entries(golden<Golden>(of, noun).keys)) {
          const text = JSON.stringify(value);
          // Data that expires has the same age as for its own release.
          const now = expires ? text.replace(/\b1[6-9]\d{11}\b/g, (ms) => String(Number(ms) + age)) : text;
          await putValue(store.connections.commands, key, JSON.parse(now) as Value);
          if (expires) await store.connections.commands.pexpire(key, 600_000);
        }
      }
      for (const step of stepsOf(of)) {
        const { keys, read } = golden<Golden>(of, step.noun);
        const now: unknown = JSON.parse(JSON.stringify((await step.read(store, facts)) ?? null));
        assert.deepEqual(now, read, `${of} ${step.noun}`);
        for (const [key, value] of Object.entries(keys)) {
          const format = parsed[step.noun]?.(key);
          if (format === undefined) continue;
          const json = 'hash' in value ? (value.hash['data'] ?? Object.values(value.hash)[0]!) : '';
          assert.ok(store.connections.forms.fits(format, JSON.parse(json)), key);
        }
      }
      assert.deepEqual([...store.connections.forms.unreadable], []);
    });

    it(`writes the formats with unchanged versions as ${of} did`, async () => {
      const facts: Facts = {};
      for (const step of steps) await step.write(store, facts);
      const { commands } = store.connections;
      const all = (await commands.keys('*')).filter((key) => !isTransient(key));
      for (const { noun, formats: own, keys } of stepsOf(of)) {
        const then = golden<Golden>(of, noun);
        if (own.some((format) => formats[format].writes !== then.versions[format])) continue;
        const found = all.filter((key) => keys.test(withoutRun(key, facts)));
        const now = Object.fromEntries(await Promise.all(found.map(async (key) => [key, ownPart(noun, await valueOf(commands, key))] as const)));
        assert.deepEqual(texts(now, facts), texts(then.keys, golden<Facts>(of, 'facts')), `${of} ${noun}: give it a new version in formats.ts`);
      }
    });

    it(`reads the messages of ${of}, and writes the same to an instance that reads that version`, async () => {
      const then = golden<GoldenMessages>(of, 'messages');
      const received = { toLink: [] as unknown[], toGateway: [] as unknown[] };
      const unreadable = (message: unknown): void => assert.fail(JSON.stringify(message));
      const ends = [
        await store.linkMailbox.receive('link-golden', (message) => received.toLink.push(message), { unreadable }),
        await store.gatewayMailbox.receive('gw-golden', (message) => received.toGateway.push(message), { unreadable }),
      ];
      for (const text of then.toLink) await store.connections.publish(instanceKeys.inbox('link-golden'), text);
      for (const text of then.toGateway) await store.connections.publish(instanceKeys.inbox('gw-golden'), text);
      await until(() => received.toLink.length === then.toLink.length && received.toGateway.length === then.toGateway.length);
      assert.deepEqual(received, then.sent);
      for (const end of ends) await end();
      // This sender does not know the versions of the receiver yet.
      await store.close();
      store = await openStore({ url: redis.url, instance: 'gw-golden' });
      for (const instance of ['link-golden', 'gw-golden']) await store.connections.commands.del(instanceKeys.reads(instance));
      if ((wireVersions as readonly number[]).includes(then.version))
        assert.deepEqual(await sentBy(store, openStore, redis.url, then.version), then, `${of}: give messages a new version in formats.ts`);
    });
  }

  it('the golden files contain the announcement of this release', async () => {
    await store.gatewayMailbox.receive('gw-golden', () => {});
    const { text } = golden<{ text: string }>(release, 'announcement');
    assert.equal(await store.connections.commands.get(instanceKeys.reads('gw-golden')), text);
    assert.deepEqual(await store.wire.read('gw-golden'), JSON.parse(text));
  });
});
