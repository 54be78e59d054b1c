/** Events, waits, queued calls and calls with an Idempotency-Key. */
import type { ToGateway, WaitRecord } from '@perch/schema';
import type { Step } from './step.js';

const ack: ToGateway = { t: 'ack', id: 'gw-golden.1', result: { yaw: 20 } };

export const callSteps: readonly Step[] = [
  {
    noun: 'events',
    formats: ['events', 'lines'],
    keys: /^perch:\{<robot>\}:(log|events|lines)$/,
    async write(store, facts) {
      const events = [
        { name: 'connected', data: {} },
        { name: 'tap', data: { x: 3, y: 4 } },
      ] as const;
      await store.events.append(facts['robot']!, { session: 's-golden', bootId: 'b1', inSeq: 5, safeSeq: 4, events, near: true, usb: false });
      await store.robotLines.append(facts['robot']!, 's-golden', { level: 'warn', text: 'low battery' });
    },
    read: async (store, facts) => [await store.events.read(facts['robot']!, { after: 0 }), await store.robotLines.read(facts['robot']!)],
  },
  {
    noun: 'wait',
    formats: ['wait', 'wait_record', 'wait_armed', 'wait_outcome'],
    keys: /^perch:\{<robot>\}:(waits|wait:<(open|settled)>)$/,
    async write(store, facts) {
      for (const name of ['settled', 'open']) {
        const number = (await store.waits.number(facts['robot']!))!;
        facts[name] = String(number);
        const picture = { kind: 'picture', account: facts['account']!, hash: 'h', format: 'png', bytes: 9, crc32: 1, w: 320, h: 240 } as const;
        const record: WaitRecord = {
          number,
          kind: 'ask',
          targets: [
            { shape: 'rect', x: 0, y: 0, w: 160, h: 240 },
            { shape: 'circle', x: 200, y: 9, r: 8 },
            {
              shape: 'polygon',
              points: [
                [0, 0],
                [9, 0],
                [0, 9],
              ],
            },
          ],
          picture,
          timeoutMs: 30_000,
          gateway: 'gw-golden',
          call: 'gw-golden.2',
          requestId: 'q',
        };
        await store.waits.open(facts['robot']!, record);
        await store.waits.arm(facts['robot']!, 's-golden', record, { bootId: 'b1', ms: 81_200, seq: 5 });
        const outcome = { outcome: 'answered', index: 0, x: 3, y: 4 } as const;
        if (name === 'settled') await store.waits.settle(facts['robot']!, number, outcome, 's-golden');
      }
    },
    read: async (store, facts) => [
      await store.waits.read(facts['robot']!, Number(facts['settled'])),
      await store.waits.read(facts['robot']!, Number(facts['open'])),
    ],
  },
  {
    noun: 'detached-wait',
    formats: ['wait_detached'],
    keys: /^perch:\{(<robot>\}:(detached-waits|wait:<detached>)|detached-waits\})$/,
    async write(store, facts) {
      // Not opened, so that the head of the waits stays that of the step before.
      const number = Number(facts['open']) + 1;
      facts['detached'] = String(number);
      const { record: open } = (await store.waits.read(facts['robot']!, Number(facts['open'])))!;
      const record = { ...open, number };
      await store.connections.commands.hset(`perch:{${facts['robot']!}}:wait:${number}`, 'record', JSON.stringify(record));
      await store.detachedWaits.detach(facts['robot']!, record, {
        account: facts['account']!,
        choices: [{ label: 'Yes' }, { id: 'n', label: 'No' }],
      });
    },
    read: async (store, facts) => {
      const numbers = await store.waits.detachedNumbers(facts['robot']!);
      return [numbers.length, (await store.waits.read(facts['robot']!, numbers[0]!))?.detached];
    },
  },
  {
    noun: 'queue',
    formats: ['queue_entry'],
    keys: /^perch:(\{<robot>\}:queue(:entries)?|\{queued-robots\})$/,
    async write(store, facts) {
      await store.queue.add(facts['robot']!, Number(facts['open']) + 2, {
        entry: {
          action: 'show',
          args: { text: 'golden' },
          account: facts['account']!,
          keyHash: facts['keyHash']!,
          guest: null,
          requestId: 'q',
          via: 'http',
          holder: '',
          showMs: 10_000,
        },
        priority: 9,
        expiresMs: 60_000,
        question: null,
      });
    },
    read: (store, facts) => store.queue.place(facts['robot']!, Number(facts['open']) + 2),
  },
  {
    noun: 'call',
    formats: ['call', 'call_reply', 'call_outcome'],
    keys: /^perch:\{<robot>\}:call/,
    async write(store, facts) {
      const claim = (name: string) => ({ fingerprint: `f-${name}`, claim: `c-${name}`, gateway: 'gw-golden' });
      for (const name of ['running', 'ended', 'failed']) await store.calls.begin(facts['robot']!, name, claim(name), facts['account']);
      await store.calls.keepReply(facts['robot']!, { call: 'running', at: 0 }, ack);
      await store.calls.end(facts['robot']!, 'ended', 'c-ended', { answer: { ok: true, yaw: 20 } });
      await store.calls.end(facts['robot']!, 'failed', 'c-failed', { failure: { code: 'outcome_unknown', error: 'The robot did not answer.' } });
    },
    async read(store, facts) {
      const resume = (name: string) => store.calls.resume(facts['robot']!, name, { fingerprint: `f-${name}`, claim: 'mine', gateway: 'gw-b' });
      const running = await store.calls.read(facts['robot']!, 'running');
      return [{ ...running, replies: [...running!.replies] }, await resume('running'), await resume('ended'), await resume('failed')];
    },
  },
];
