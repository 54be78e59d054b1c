/** Media, webhooks, pairings and jobs. */
import type { DrawJob, SoundJob } from '@perch/schema';
import type { AccountRates } from '../../src/accounts/account-rates.js';
import type { Instances } from '../../src/instances/instances.js';
import type { Step } from './step.js';

export const jobSteps: readonly Step[] = [
  {
    noun: 'media',
    formats: ['media'],
    keys: /^perch:\{<account>\}:media:/,
    async write(store, facts) {
      const picture = { kind: 'picture', format: 'png', w: 320, h: 240, data: Buffer.from('golden picture') } as const;
      await store.media.put(facts['account']!, 'picture', picture);
      const sound = { kind: 'sound', format: 'pcm_s16le', rate: 16_000, data: Buffer.from('golden sound') } as const;
      await store.media.put(facts['account']!, 'sound', sound);
      await store.media.fail(facts['account']!, 'failed', { code: 'bad_picture', error: 'It is no picture.', upload: 'sha' });
    },
    read: async (store, facts) => [
      await store.media.find(facts['account']!, 'picture', 1000),
      (await store.media.read({ account: facts['account']!, hash: 'picture' }))?.toString(),
      await store.media.find(facts['account']!, 'sound', 1000),
      await store.media.findResult(facts['account']!, 'failed', 1000),
    ],
    expires: true,
  },
  {
    noun: 'webhook',
    formats: ['webhook', 'delivery'],
    keys: /^perch:(\{<account>\}:webhook.*|\{hooked-accounts\})$/,
    async write(store, facts) {
      const webhook = await store.webhooks.create(facts['account']!, { url: 'https://example.com/hook', names: ['tap'] });
      facts['webhook'] = webhook.id;
      const message = store.deliveries.newDelivery('msg_golden_1', facts['robot']!, { type: 'tap', data: { x: 3, y: 4 } });
      const ended = store.deliveries.newDelivery('msg_golden_2', null, { type: 'test' });
      await store.deliveries.addOpen(webhook, [message, ended]);
      await store.deliveries.recordAttempt(webhook, {
        ...ended,
        status: 'failed',
        attempts: 1,
        lastAt: 1_790_000_000_000,
        lastStatus: 500,
        lastError: 'No.',
        nextAt: null,
      });
    },
    read: async (store, facts) => [
      await store.webhooks.list(facts['account']!),
      await store.deliveries.list({ account: facts['account']!, id: facts['webhook']! }),
    ],
  },
  {
    noun: 'pairing',
    formats: ['pairing'],
    keys: /^perch:(\{pair:.*|\{code:.*|\{pairings\})$/,
    async write(store, facts) {
      const begun = await store.pairing.begin({ serial: 'SN-2', model: 'm', firmware: '1' });
      Object.assign(facts, { deviceCode: begun.deviceCode, userCode: begun.userCode });
    },
    read: async (store, facts) => [await store.pairing.poll(facts['deviceCode']!), await store.pairing.find(facts['account']!, facts['userCode']!)],
  },
  {
    noun: 'jobs',
    formats: ['render_job', 'delivery_job', 'notice_job'],
    keys: /^perch:\{jobs\}:(render|render-uploads|webhook-deliveries|webhook-notices):(\d+|w-.*|<webhook>_.*)$/,
    async write(store, facts) {
      const draw: DrawJob = {
        kind: 'draw',
        account: facts['account']!,
        hash: 'draw',
        scene: { text: 'Hello' },
        uploads: [],
        formats: ['jpeg', 'png'],
        bytesMax: 98_304,
      };
      const sound: SoundJob = { kind: 'sound', account: facts['account']!, hash: 'chime', spec: { chime: 'hello' }, rate: 16_000 };
      for (const job of [draw, { ...draw, hash: 'upload', uploads: ['sha'] }, sound]) await store.jobs.request(job, 1);
      await store.webhookJobs.send(
        { account: facts['account']!, id: facts['webhook']! },
        store.deliveries.newDelivery('msg_golden_1', null, { type: 'tap' }),
      );
      store.webhookJobs.notice(facts['robot']!);
      // Services do not await it either.
      const { commands } = store.connections;
      for (let i = 0; i < 100 && (await commands.exists('perch:{jobs}:webhook-notices:1')) === 0; i += 1)
        await new Promise((resolve) => setTimeout(resolve, 50));
    },
    // Read directly from the keys, see golden.redis.test.ts.
    read: () => Promise.resolve(null),
  },
  {
    noun: 'account-actions',
    formats: ['account_actions'],
    keys: /^perch:\{account-actions\}$/,
    async write(store, facts) {
      // With a heartbeat that the test sends, since the next one of the store's own replaces the record.
      const Rates = store.accountRates.constructor as typeof AccountRates;
      let beat = (): Promise<void> => Promise.resolve();
      const rates = new Rates(store.connections, store.clock, { withBeat: (work) => void (beat = work) } as Instances, 'gw-golden');
      rates.limit(1000);
      rates.count(facts['account']!, 3, true);
      // Rates of less than 0.1 s are those of 0.1 s: a round number.
      await new Promise((resolve) => setTimeout(resolve, 150));
      await beat();
    },
    read: () => Promise.resolve(null),
  },
];
