/**
 * Writes data of every format of formats.ts through the store and reads it, with the code of each release: write.ts saves the data of a release,
 * golden.redis.test.ts compares the current code with it. A later release adds steps for its new formats, with the release that introduced them.
 */
import { createHash } from 'node:crypto';
import type { DrawJob, SoundJob, ToGateway, ToLink, WaitRecord } from '@perch/schema';
import type { Store } from '../../src/index.js';
import type { FormatName } from '../../src/versions/formats.js';

/** Ids and secrets by which the data of a run is found. */
export type Facts = Record<string, string>;

export interface Step {
  noun: string;
  formats: readonly FormatName[];
  /** Keys of the step in Redis; `<name>` stands for a fact. */
  keys: RegExp;
  write(store: Store, facts: Facts): Promise<void>;
  /** Reads the written data with the code of the release; returns JSON. */
  read(store: Store, facts: Facts): Promise<unknown>;
  /** Whether the data expires, so that its times are moved to now before it is read. */
  expires?: true;
}

const card = `card-${Buffer.from('ab'.repeat(32), 'hex').toString('base64url')}golden-golde`;
const ack: ToGateway = { t: 'ack', id: 'gw-golden.1', result: { yaw: 20 } };
const pixels = ['#0a0b0c', ...Array.from({ length: 11 }, () => '#102030')];

/** Releases before 0.10.0 did not read settings; the step `robot-settings` does. */
function withoutSettings(read: object | null): unknown {
  const { settings: _settings, ...others } = { settings: undefined, ...read };
  return others;
}

export const steps: readonly Step[] = [
  {
    noun: 'account',
    formats: ['account'],
    keys: /^perch:(\{<account>\}|\{accounts\}|\{email:.*)$/,
    async write(store, facts) {
      const { account } = await store.accounts.create({ email: 'golden@example.com' });
      facts['account'] = account;
    },
    read: async (store, facts) => [await store.accounts.get(facts['account']!), await store.accounts.findByEmail('golden@example.com')],
  },
  {
    noun: 'api-key',
    formats: ['api_key'],
    keys: /^perch:(\{<keyHash>\}|\{<account>\}:api-keys)$/,
    async write(store, facts) {
      const { apiKey, id } = await store.apiKeys.create({ account: facts['account']!, name: 'golden', robots: '*' } as never);
      Object.assign(facts, { apiKey, keyId: id, keyHash: (await store.apiKeys.hashOf(facts['account']!, id))! });
      await store.apiKeys.admit({ apiKey, cost: 1 });
    },
    async read(store, facts) {
      const listed = await store.apiKeys.list(facts['account']!);
      const admitted = await store.apiKeys.admit({ apiKey: facts['apiKey']!, cost: 1 });
      // Unknown to 0.9.0: null in its records, and all scopes.
      const known = listed.map(({ agentAt, scopes: _scopes, formerUntil: _former, ...key }) => (agentAt === null ? key : { ...key, agentAt }));
      return [known, admitted.ok && [admitted.account, admitted.robots]];
    },
  },
  {
    noun: 'activity',
    formats: ['activity'],
    keys: /^perch:\{<account>\}:activity(:calls|:changes)?$/,
    async write(store, facts) {
      const at = Math.floor(store.clock.now());
      const key = { id: facts['keyId']!, name: 'golden' };
      const tap = { question: 'Tea?', answer: 'Yes', x: 10, y: 20, tapMs: 900, ms: 1200 };
      const calls = [
        { at, via: 'http' as const, action: 'ask', outcome: 'answered', key, robot: 'r-golden', ...tap },
        { at, via: 'agent' as const, action: 'leds', outcome: 'rate_limited', key, robot: 'r-golden', count: 3, ms: 2 },
      ];
      const changes = [{ at, via: 'page' as const, action: 'key_create', outcome: 'ok', subject: facts['keyId']!, network: '127.0.0.1' }];
      await store.activity.append(facts['account']!, { calls, changes, usage: new Map() });
    },
    async read(store, facts) {
      const page = await store.activity.read(facts['account']!, { after: 0, before: null, limit: 10, kind: null, accept: () => true });
      return page.entries.map(({ at, seq, ...entry }) => ({ ...entry, numbered: seq >= at - 1000 }));
    },
    expires: true,
  },
  {
    noun: 'session',
    formats: ['session'],
    keys: /^perch:(\{<sessionHash>\}|\{<account>\}:sessions|\{<account>\}:devices)$/,
    async write(store, facts) {
      const { secret, keyHash } = await store.sessions.begin(facts['account']!);
      Object.assign(facts, { sessionSecret: secret, sessionHash: keyHash, device: await store.devices.remember(facts['account']!, []) });
    },
    read: async (store, facts) => [
      await store.apiKeys.stillValid([facts['sessionHash']!]),
      (await store.devices.find(facts['account']!, [facts['device']!])) !== null,
    ],
    expires: true,
  },
  {
    // Since 0.10.0.
    noun: 'passkey',
    formats: ['passkey'],
    keys: /^perch:(\{<account>\}:passkeys|\{<account>\}:passkey:<passkey>|\{passkey:.*)$/,
    async write(store, facts) {
      const added = await store.passkeys?.add(facts['account']!, {
        name: 'phone',
        host: 'perch.example',
        credential: 'golden-credential',
        publicKey: 'golden-key',
        counter: 3,
        transports: ['internal', 'hybrid'],
        synced: true,
      });
      if (added === undefined || added === null) return;
      facts['passkey'] = added;
      await store.passkeys.use(facts['account']!, added, 4);
    },
    read: async (store, facts) => [await store.passkeys.list(facts['account']!), await store.passkeys.find('golden-credential')],
  },
  {
    // Since 0.10.0.
    noun: 'grant',
    formats: ['grant', 'oauth_client'],
    keys: /^perch:(\{<grant>\}|\{<granted>\}|\{<grantAccount>\}:api-keys|\{oauth-client:.*)$/,
    async write(store, facts) {
      if ((store as Partial<Store>).grants === undefined) return;
      facts['grantAccount'] = 'a-9876501234';
      facts['oauthClient'] = await store.oauthClients.register({ name: 'golden', redirectUris: ['https://client.example/back'] });
      const verifier = 'golden-verifier-golden-verifier-golden-verifier';
      const { code, id } = await store.grants.begin({
        account: facts['grantAccount'],
        name: 'golden',
        robots: '*',
        scopes: ['read', 'ask'],
        max: 10,
        client: facts['oauthClient'],
        address: 'client.example',
        redirectUri: 'https://client.example/back',
        challenge: createHash('sha256').update(verifier).digest('base64url'),
        resource: 'https://perch.example/mcp',
      });
      const issued = await store.grants.exchangeCode(code, { client: facts['oauthClient'], verifier, redirectUri: undefined, resource: undefined });
      if ('refused' in issued) throw new Error(`the golden code was refused: ${issued.refused}`);
      const [grant, granted] = await store.apiKeys.hashesOf(facts['grantAccount'], id);
      Object.assign(facts, { grantId: id, grant, granted, refreshToken: issued.refresh, grantAccess: issued.access });
    },
    async read(store, facts) {
      const refreshed = await store.grants.refresh(facts['refreshToken']!, { client: facts['oauthClient']!, resource: undefined });
      const admitted = await store.apiKeys.admit({ apiKey: facts['grantAccess']!, cost: 1, needs: ['ask'] });
      return [
        await store.oauthClients.find(facts['oauthClient']!),
        'refused' in refreshed ? refreshed : [refreshed.account, refreshed.scopes],
        admitted.ok && [admitted.account, admitted.robots, admitted.scopes],
      ];
    },
    expires: true,
  },
  {
    noun: 'once',
    formats: ['once'],
    keys: /^perch:\{(link|invitation|oidc|challenge):/,
    async write(store, facts) {
      facts['link'] = await store.signInTokens.make(facts['account']!, 600_000);
      facts['signIn'] = await store.oidcSignIns.make('{"state":"golden"}', 600_000);
    },
    read: async (store, facts) => [await store.signInTokens.take(facts['link']!), await store.oidcSignIns.take(facts['signIn']!)],
    expires: true,
  },
  {
    // Since 0.10.0.
    noun: 'mail-links',
    formats: ['account', 'once'],
    keys: /^perch:(\{<verifiedAccount>\}|\{(reset|verification):.*)$/,
    async write(store, facts) {
      if ((store as Partial<Store>).passwordResets === undefined) return;
      facts['reset'] = await store.passwordResets.make(facts['account']!);
      facts['verification'] = await store.emailVerifications.make(facts['account']!, 600_000);
      facts['verifiedAccount'] = 'a-9876543210';
      // Without its address, which would belong to the step account.
      await store.connections.commands.hset('perch:{a-9876543210}', { email: 'golden.mail@example.com', created_at: 1_790_000_000_000 });
      await store.accounts.verify(facts['verifiedAccount']);
    },
    read: async (store, facts) => [
      await store.passwordResets.take(facts['reset']!),
      await store.emailVerifications.take(facts['verification']!),
      (await store.accounts.verifiedAt(facts['verifiedAccount']!)) !== null,
    ],
    expires: true,
  },
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
    // Since 0.10.0.
    noun: 'robot-settings',
    formats: ['robot'],
    keys: /^perch:\{<chosenRobot>\}$/,
    async write(store, facts) {
      if ((store.robots as Partial<Store['robots']>).change === undefined) return;
      facts['otherAccount'] = 'a-0123456789';
      facts['chosenRobot'] = await store.robots.ensure({ account: facts['otherAccount'], name: 'Desk' });
      const quietHours = { from: '22:00', to: '07:00' };
      await store.robots.change(facts['otherAccount'], facts['chosenRobot'], { timeZone: 'Asia/Tokyo', volumeMax: 40, quietHours });
    },
    read: (store, facts) => store.robots.chosenOf(facts['chosenRobot']!),
  },
  {
    // Since 0.10.0.
    noun: 'guests',
    formats: ['guests'],
    keys: /^perch:(\{<robot>\}:(guests|share-links)|\{a-guest00000\}:shared)$/,
    async write(store, facts) {
      if ((store as Partial<Store>).guests === undefined) return;
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
    // Since 0.10.0.
    noun: 'robot-labels',
    formats: ['robot_labels'],
    keys: /^perch:\{<account>\}:labels$/,
    async write(store, facts) {
      await store.robotLabels?.change(facts['account']!, facts['robot']!, { set: { room: 'r1', floor: '2', note: 'a=b' } });
    },
    read: async (store, facts) => [
      await store.robotLabels.of(facts['account']!, facts['robot']!),
      await store.robotLabels.all(facts['account']!, ['room=r1', 'note=a=b']),
    ],
  },
  {
    // Since 0.10.0.
    noun: 'screens',
    formats: ['robot_screen'],
    keys: /^perch:\{<account>\}:screens:<robot>$/,
    async write(store, facts) {
      const at = Math.floor(store.clock.now());
      const key = { id: facts['keyId']!, name: 'golden' };
      const tap = { outcome: 'answered', answer: 'Yes', x: 10, y: 20, tapMs: 900 };
      const question = { question: 'Tea?', answers: ['Yes', 'No'], timeout_s: 30 };
      await store.screenHistory?.append(
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
    // Since 0.10.0.
    noun: 'card',
    formats: ['robot_card'],
    keys: /^perch:\{<robot>\}:card$/,
    async write(store, facts) {
      const account = facts['account']!;
      const picture = { kind: 'picture', format: 'png', w: 320, h: 240, data: Buffer.from('golden card') } as const;
      await store.media.put(account, 'ab'.repeat(32), picture);
      await store.shownCards?.keep({ robot: facts['robot']!, session: 's-golden', account }, card);
      // The picture itself belongs to the step media.
      const key = `perch:{${account}}:media:${'ab'.repeat(32)}`;
      await store.connections.commands.unlink(key, `${key}:data`);
    },
    async read(store, facts) {
      const shown = await store.shownCards.read(facts['account']!, facts['robot']!, card);
      return { ...shown, bytes: shown?.bytes.toString() };
    },
  },
  {
    // Since 0.10.0.
    noun: 'countdown',
    formats: ['robot_countdown'],
    keys: /^perch:\{<robot>\}:countdown$/,
    async write(store, facts) {
      const box = { kind: 'text', x: 14, y: 12, w: 292, h: 216, text: '5:00', countdown: { done: 'Ready' } };
      const scene = { w: 320, h: 240, background: '#101820', boxes: [box] };
      const countdown = { end: 1_790_000_300_000, scene, formats: ['png'], bytesMax: 98_304 } as const;
      await store.countdowns?.save({ robot: facts['robot']!, session: 's-golden' }, 'series-12345', countdown);
    },
    read: (store, facts) => store.countdowns.find(facts['robot']!, 'series-12345'),
  },
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
      for (let i = 0; i < 100 && (await commands.keys('perch:{jobs}:webhook-notices:1')).length === 0; i += 1)
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
      store.accountRates.limit(1000);
      store.accountRates.count(facts['account']!, 3, true);
      const { commands } = store.connections;
      // The heartbeat writes them.
      for (let i = 0; i < 100 && (await commands.exists('perch:{account-actions}')) === 0; i += 1)
        await new Promise((resolve) => setTimeout(resolve, 50));
    },
    read: () => Promise.resolve(null),
  },
];

/** Returns one of every message of a wire version, in the order in which they are sent. */
export function messages(version: number): { toLink: ToLink[]; toGateway: ToGateway[] } {
  const command = {
    t: 'command',
    robot: 'r-golden',
    session: 's-golden',
    gateway: 'gw-golden',
    expires: 1_790_000_000_000,
    requestId: 'gw-golden-2k',
  } as const;
  const picture = { kind: 'picture', account: 'a-golden', hash: 'h', format: 'jpeg', bytes: 9, crc32: 1, w: 320, h: 240 } as const;
  const sound = { kind: 'sound', account: 'a-golden', hash: 'h', format: 'pcm_s16le', rate: 16_000, bytes: 32_000 } as const;
  const record: WaitRecord = {
    number: 7,
    kind: 'menu',
    targets: [{ shape: 'rect', x: 0, y: 0, w: 160, h: 240 }],
    picture,
    timeoutMs: 30_000,
    gateway: 'gw-golden',
    call: 'gw-golden.w',
    requestId: 'q',
    keptMs: 600_000,
  };
  const at = { robot: 'r-golden', session: 's-golden' };
  const arrivedAt = command.expires - 10_000;
  const trace = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';
  const lateAck: ToGateway = { t: 'ack', id: 'gw-golden.9', result: {}, receivedAt: command.expires - 9000 };
  const sinceVersion2: ToLink[] = [
    { ...command, id: 'gw-golden.7', arrivedAt, command: { name: 'leds.set', args: { pixels } } },
    { ...command, id: 'gw-golden.8', arrivedAt, command: { name: 'leds.set', args: { pixels } }, step: { call: 'n', at: 0 } },
    { t: 'wait', ...at, record, arrivedAt },
    { ...command, id: 'gw-golden.9', arrivedAt, command: { name: 'leds.set', args: { pixels } }, trace },
    { t: 'wait', ...at, record: { ...record, number: 8, trace } },
  ];
  return {
    toLink: [
      { ...command, id: 'gw-golden.1', command: { name: 'leds.set', args: { pixels: pixels.map(() => '#0a0b0c') } } },
      { ...command, id: 'gw-golden.2', command: { name: 'leds.set', args: { pixels } }, step: { call: 'n', at: 2 } },
      { ...command, id: 'gw-golden.3', requestId: 'mine', command: { name: 'robot', args: { command: 'brightness', args: { pct: 50 } } } },
      {
        ...command,
        id: 'gw-golden.4',
        command: { name: 'screen.show', args: { layer: 'card', id: 'c1' }, attachments: [{ path: [], picture }] },
      },
      { ...command, id: 'gw-golden.5', command: { name: 'audio.play', args: { volume: 50 }, sound } },
      { t: 'state', id: 'gw-golden.6', ...at, gateway: 'gw-golden', expires: 1_790_000_000_000, doing: true },
      { t: 'wait', ...at, record },
      { t: 'wait_end', ...at, number: 7 },
      { t: 'close', robot: 'r-golden', session: null, code: 4003 },
      ...(version === 1 ? [] : sinceVersion2),
    ],
    toGateway: [
      { t: 'ack', id: 'gw-golden.1', result: {} },
      ack,
      { t: 'replaced', id: 'gw-golden.5' },
      { t: 'nack', id: 'gw-golden.3', code: 'robot_busy', error: 'The robot is busy.' },
      { t: 'not_here', id: 'gw-golden.3' },
      { t: 'media_missing', id: 'gw-golden.4', hash: 'h' },
      {
        t: 'state',
        id: 'gw-golden.6',
        readings: { battery_pct: 81 },
        readingsAt: 1_790_000_000_000,
        showing: { card: null, question: null, emotion: 'happy', view: 'face' },
        doing: {
          bubble: null,
          head: { yaw: 20, pitch: null, moving: false },
          leds: { pixels: null, effect: { name: 'rainbow', color: null, palette: null, speed: 1 } },
          sound: false,
        },
      },
      ...(version === 1 ? [] : [lateAck]),
    ],
  };
}
