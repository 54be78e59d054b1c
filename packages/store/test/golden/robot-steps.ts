/** Robots, their guests and labels, and what they hold and show. */
import { createHash } from 'node:crypto';
import { guarded } from '../../src/redis/errors.js';
import { withoutSettings } from './without-settings.js';
import type { Step } from './step.js';

const card = `card-${Buffer.from('ab'.repeat(32), 'hex').toString('base64url')}golden-golde`;

export const robotSteps: readonly Step[] = [
  {
    noun: 'robot',
    formats: ['robot', 'robot_hello'],
    keys: /^perch:(\{<robot>\}|\{<account>\}:(robots|serials)|\{token:.*)$/,
    async write(store, facts) {
      const { robot, token } = await store.robots.create({ account: facts['account']!, name: 'Desk', serial: 'SN-1' });
      Object.assign(facts, { robot, token, tokenHash: createHash('sha256').update(token).digest('hex') });
    },
    read: async (store, facts) => [withoutSettings(await store.robots.get(facts['robot']!)), (await store.robots.byToken(facts['token']!))?.id],
  },
  {
    noun: 'robot-settings',
    formats: ['robot'],
    keys: /^perch:\{<chosenRobot>\}$/,
    async write(store, facts) {
      facts['otherAccount'] = 'a-0123456789';
      facts['chosenRobot'] = await store.robots.ensure({ account: facts['otherAccount'], name: 'Desk' });
      const quietHours = { from: '22:00', to: '07:00' };
      await store.robots.change(facts['otherAccount'], facts['chosenRobot'], { timeZone: 'Asia/Tokyo', volumeMax: 40, quietHours });
    },
    async read(store, facts) {
      const { name, settings } = await store.robots.chosenOf(facts['chosenRobot']!);
      return { name, settings };
    },
  },
  {
    noun: 'guests',
    formats: ['guests'],
    keys: /^perch:(\{<robot>\}:(guests|share-links)|\{a-guest00000\}:shared)$/,
    async write(store, facts) {
      await store.connections.commands.hset('perch:{a-guest00000}', { email: 'guest@example.com' });
      const { token } = (await store.guests.makeLink(facts['account']!, facts['robot']!, 'use'))!;
      await store.guests.accept(token, { id: 'a-guest00000', email: 'guest@example.com' });
      await store.guests.makeLink(facts['account']!, facts['robot']!, 'watch');
    },
    async read(store, facts) {
      const { guests, links } = await store.guests.of(facts['robot']!, store.clock.now());
      return [guests.map(({ since: _since, ...guest }) => guest), links.map(({ id, permission }) => [id, permission])];
    },
    expires: true,
  },
  {
    noun: 'robot-labels',
    formats: ['robot_labels'],
    keys: /^perch:\{<account>\}:labels$/,
    async write(store, facts) {
      await store.robotLabels.change(facts['account']!, facts['robot']!, { set: { room: 'r1', floor: '2', note: 'a=b' } });
    },
    read: async (store, facts) => [
      await store.robotLabels.of(facts['account']!, facts['robot']!),
      await store.robotLabels.all(facts['account']!, ['room=r1', 'note=a=b']),
    ],
  },
  {
    noun: 'screens',
    formats: ['robot_screen'],
    keys: /^perch:\{<account>\}:screens:<robot>$/,
    async write(store, facts) {
      const at = Math.floor(store.clock.now());
      const key = { id: facts['keyId']!, name: 'golden' };
      const tap = { outcome: 'answered', answer: 'Yes', x: 10, y: 20, tapMs: 900 };
      const question = { question: 'Tea?', answers: ['Yes', 'No'], timeout_s: 30 };
      await store.screenHistory.append(
        facts['account']!,
        new Map([
          [
            facts['robot']!,
            [
              { id: 's-golden-1', at: at - 2, action: 'ask', via: 'http', key, ...tap, args: question },
              { id: 's-golden-2', at: at - 1, action: 'show', via: 'page', outcome: 'ok', args: { background: 'blue' }, lacks: ['image'] },
              { id: 's-golden-3', at, action: 'show', via: 'agent', outcome: 'ok', args: null },
            ],
          ],
        ]),
      );
    },
    read: async (store, facts) =>
      (await store.screenHistory.list(facts['account']!, facts['robot']!)).map(({ at, ...screen }) => ({
        ...screen,
        recent: at > store.clock.now() - 86_400_000,
      })),
    expires: true,
  },
  {
    noun: 'lease',
    formats: ['lease', 'robot_saved', 'robot_playing'],
    keys: /^perch:\{<robot>\}:(lease|saved|playing)$/,
    async write(store, facts) {
      facts['session'] = 's-golden';
      await store.leases.take(facts['robot']!, {
        session: 's-golden',
        bootId: 'b1',
        dial: 3,
        started: true,
        tokenHash: facts['tokenHash']!,
        model: 'stackchan-k151',
        firmware: '1.2.0',
        hello: {
          features: ['screen', 'leds'],
          commands: [{ name: 'brightness', class: 'program' }],
          screen: { w: 320, h: 240, formats: ['jpeg', 'png'], max_bytes: 98_304 },
          audio: { formats: ['pcm_s16le'], rates: [16_000], buffer_bytes: 98_304, max_part_bytes: 4096 },
        },
      });
      const showing = { card: 'c1', question: null, emotion: 'happy', view: 'face' };
      await store.leases.save(facts['robot']!, 's-golden', { readings: { battery_pct: 81 }, readingsAt: 1_790_000_000_000, showing });
      const sound = { kind: 'sound', account: facts['account']!, hash: 'h', format: 'pcm_s16le', rate: 16_000, bytes: 32_000 } as const;
      await store.leases.savePlaying(facts['robot']!, 's-golden', { id: 's1', stream: 7, sound });
    },
    read: async (store, facts) => [
      await store.leases.find(facts['robot']!),
      await store.leases.saved(facts['robot']!),
      // The events are read before; a take-over itself appends none.
      withoutSettings(
        await store.leases.take(facts['robot']!, {
          session: 's-next',
          bootId: 'b1',
          dial: 4,
          tokenHash: facts['tokenHash']!,
          model: '',
          firmware: '',
          hello: {},
        }),
      ),
    ],
  },
  {
    noun: 'card',
    formats: ['robot_card'],
    keys: /^perch:\{<robot>\}:card$/,
    async write(store, facts) {
      const account = facts['account']!;
      const picture = { kind: 'picture', format: 'png', w: 320, h: 240, data: Buffer.from('golden card') } as const;
      await store.media.put(account, 'ab'.repeat(32), picture);
      await store.screenPictures.keep({ robot: facts['robot']!, session: 's-golden', account }, card);
      // The picture itself belongs to the step media.
      const key = `perch:{${account}}:media:${'ab'.repeat(32)}`;
      await guarded(() => store.connections.commands.unlink(key, `${key}:data`));
    },
    async read(store, facts) {
      const shown = await store.screenPictures.read(facts['account']!, facts['robot']!, card);
      return { ...shown, bytes: shown?.bytes.toString() };
    },
  },
  {
    noun: 'countdown',
    formats: ['robot_countdown'],
    keys: /^perch:\{<robot>\}:countdown$/,
    async write(store, facts) {
      const box = { kind: 'text', x: 14, y: 12, w: 292, h: 216, text: '5:00', countdown: { done: 'Ready' } };
      const scene = { w: 320, h: 240, background: '#101820', boxes: [box] };
      const countdown = { end: 1_790_000_300_000, scene, formats: ['png'], bytesMax: 98_304 } as const;
      await store.countdowns.save({ robot: facts['robot']!, session: 's-golden' }, 'series-12345', countdown);
    },
    read: (store, facts) => store.countdowns.find(facts['robot']!, 'series-12345'),
  },
];
