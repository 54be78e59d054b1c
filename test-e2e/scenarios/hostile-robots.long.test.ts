/** Robots that violate the protocol, by mistake or on purpose: each is disconnected with its close code, and other robots are not affected. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { until } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import { WebSocket } from 'ws';
import { Api } from '../fixture/clients/api.js';
import { PlainRobot } from '../fixture/robots/plain-robot.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';
import { trafficDuring } from '../fixture/clients/traffic.js';

const noReconnect = { minMs: 60_000, maxMs: 60_000 };

onSharedSystems(
  'hostile robots',
  (system) => {
    const withTraffic = <T>(attack: () => Promise<T>): Promise<T> => trafficDuring(system(), attack);
    const isAway = (id: string): Promise<unknown> =>
      until(async () => (await system().store.leases.find(id)).state === 'away', { what: `${id} to be away` });
    async function bare(): Promise<{ id: string; socket: WebSocket; closed: Promise<number> }> {
      const { robot: id, token } = await system().store.robots.create({ account: (await system().tenant()).account });
      const socket = new WebSocket(system().link(0), 'perch-link.v1', { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false });
      socket.on('error', () => {});
      system().keep({ stop: async () => socket.terminate() });
      const closed = once(socket, 'close').then(([code]) => code as number);
      await once(socket, 'open');
      return { id, socket, closed };
    }
    const hello = {
      t: 'hello',
      v: [1],
      model: 'm',
      firmware: 'f',
      boot_id: 'b',
      dial: 1,
      reason: 'start',
      features: ['face'],
      commands: [],
      showing: { card: null, question: null, emotion: 'neutral', view: 'face' },
    };

    const offences: [what: string, code: number, offend: (robot: VirtualRobot) => void][] = [
      ['text that is not JSON', 4400, ({ faults }) => faults.sendGarbage('text')],
      ['a binary frame', 4400, ({ faults }) => faults.sendGarbage('binary')],
      ['JSON that is not an object', 4400, ({ faults }) => faults.sendRaw('[[[[[[1]]]]]]')],
      ['an input with an unreadable number', 4400, ({ faults }) => faults.sendRaw('{"t":"in","seq":"1","ms":1,"kind":"usb","present":true}')],
      ['a second hello', 4400, ({ faults }) => faults.sendRaw(JSON.stringify(hello))],
      ['a text over 16 KB', 4008, ({ faults }) => faults.oversize(17_000)],
      ['a frame of a megabyte', 4008, ({ faults }) => faults.oversize(1_000_000)],
      ['a flood of sensors', 4008, ({ faults }) => faults.flood(20_000)],
      ['a flood of input', 4008, ({ faults }) => faults.flood(20_000, { t: 'in', seq: 1, ms: 1, kind: 'power_key', held_ms: 10 })],
      ['a flood of acks', 4008, ({ faults }) => faults.flood(20_000, { t: 'ack', id: 'never-asked', ms: 1, ok: true, result: {} })],
    ];
    it("malformed, oversized or excessive frames close the robot's session with the matching close code", () =>
      withTraffic(async () => {
        const tenant = await system().tenant();
        for (const [what, code, offend] of offences) {
          const { id, robot } = await tenant.robot({ reconnect: noReconnect });
          offend(robot);
          await robot.until(({ lastClosed }) => lastClosed !== null, { what });
          assert.equal(robot.lastClosed!.code, code, what);
          await isAway(id);
          const { status, body } = await tenant.api().act(id, 'face', { emotion: 'happy' });
          assert.deepEqual([status, body.code], [503, 'robot_offline'], what);
        }
      }));

    it('a connection whose first frame is not a hello of a supported version gets no session', () =>
      withTraffic(async () => {
        const cases: [first: string | Buffer, code: number][] = [
          ['', 4400],
          ['hello', 4400],
          [Buffer.from(JSON.stringify(hello)), 4400],
          ['{"t":"ping"}', 4400],
          [JSON.stringify({ ...hello, v: [2] }), 4010],
          [JSON.stringify({ ...hello, boot_id: '' }), 4400],
          [JSON.stringify({ ...hello, dial: -1 }), 4400],
          [JSON.stringify({ ...hello, features: 'all' }), 4400],
          [JSON.stringify({ ...hello, audio: { formats: [], rates: [16_000], buffer_bytes: 1e12, max_part_bytes: 1 } }), 4400],
          [JSON.stringify({ ...hello, model: 'm'.repeat(10_000) }), 4400],
          [JSON.stringify({ ...hello, commands: Array.from({ length: 1000 }, () => ({ name: 'c' })) }), 4400],
        ];
        for (const [first, code] of cases) {
          const { id, socket, closed } = await bare();
          socket.send(first);
          assert.equal(await closed, code, String(first).slice(0, 200));
          assert.equal((await system().store.leases.find(id)).session, '', 'nothing was taken');
        }
      }));

    it('inputs with unreadable fields are acked, the robot stays online, and its readable inputs are stored', () =>
      withTraffic(async () => {
        const tenant = await system().tenant();
        const { robot: id, token } = await system().store.robots.create({ account: tenant.account });
        const first = new PlainRobot(system().link(0), token);
        system().keep({ stop: async () => first.cut() });
        await first.start({ features: ['face'] });
        first.answer = ({ id: command }) => ({ t: 'ack', id: command, ms: 1, ok: true });
        first.send({ t: 'in', seq: 1, ms: 10, kind: 'head_down', zone: 'front' });
        first.send({ t: 'in', seq: 2, ms: 'late', kind: 5 });
        first.send({ t: 'in', seq: 3, ms: 30, kind: 'nfc_in', uid: '04A2', ndef_b64: { text: 'x' } });
        first.send({ t: 'sensors', values: 'all fine' });
        first.send({ t: 'in', seq: 4, ms: 40, kind: 'ir', address: 4, command: 8 });
        first.send({ t: 'in', seq: 5, ms: 50, kind: 'power_key', press: 'long' });
        await first.next(({ t, seq }) => t === 'in_ack' && seq === 5);
        const { status } = await tenant.api().act(id, 'face', { emotion: 'happy' });
        assert.equal(status, 200);
        const { body } = await tenant.api().get(`/v1/robots/${id}/events?names=remote,button,pat,tag`);
        assert.deepEqual(
          body.events.map(({ name, data }: { name: string; data: object }) => [name, data]),
          [
            ['remote', { address: 4, command: 8 }],
            ['button', { press: 'long' }],
          ],
        );
      }));

    it('well-formed nonsense from a robot is ignored: the session continues, and so do its actions', () =>
      withTraffic(async () => {
        const tenant = await system().tenant();
        const { id, robot } = await tenant.robot({ sensors: false });
        const { faults } = robot;
        const send = (message: object): void => faults.sendRaw(JSON.stringify(message));
        send({ t: 'of_tomorrow', x: 1 });
        send({ t: 'sensors', values: { battery_pct: 1e308, no_such: 1, __proto__: 1, wifi_ssid: 5, charging: 'yes', light_lux: 7 } });
        send({ t: 'ack', id: 'never-asked', ms: 1, ok: true, result: { card: 'x' } });
        send({ t: 'flow', stream: 65_535, received: 1e9, free: 1e9 });
        send({ t: 'play_done', stream: 3, reason: 'end' });
        send({ t: 'in', seq: 1, ms: 5, kind: 'of_tomorrow', x: 1 });
        send({ t: 'in', seq: 900, ms: 5, kind: 'touch_up', x: -1e300, y: 1e300, held_ms: 1e300 });
        send({ t: 'in', seq: 2, ms: 1e15, kind: 'power_key', held_ms: 0 });
        send({ t: 'in', seq: 9_007_199_254_740_991, ms: 0, kind: 'nfc_in', uid: 'AB', type: '', ndef_b64: 'AAAA' });
        send({ t: 'in', seq: 9_007_199_254_740_991, ms: 0, kind: 'imu_burst', hz: 1e-300, samples: [[1e308, -1e308, 0]] });
        assert.equal((await tenant.api().act(id, 'face', { emotion: 'happy' })).status, 200);
        const { body } = await tenant.api().get(`/v1/robots/${id}`);
        assert.deepEqual(body.readings, { light_lux: 7 });
        assert.equal(body.showing.card, null);
        assert.equal(robot.dials, 1);
        assert.equal(robot.lastClosed, null);
      }));

    it('a robot that acks twice, late or out of order performs each command once, and each call gets its own result', () =>
      withTraffic(async () => {
        const tenant = await system().tenant();
        const { id, robot } = await tenant.robot();
        robot.faults.ackTwice();
        for (let i = 0; i < 5; i += 1) assert.equal((await tenant.api().act(id, 'move', { yaw: i })).body.yaw, i);
        robot.faults.none();
        robot.faults.ackLate(700);
        const late = await Promise.all([1, 2, 3, 4, 5, 6].map((yaw) => tenant.api().act(id, 'move', { yaw: 10 + yaw })));
        assert.deepEqual(
          late.map(({ body }) => body.yaw),
          [11, 12, 13, 14, 15, 16],
        );

        const { robot: plainId, token } = await system().store.robots.create({ account: tenant.account });
        const plain = new PlainRobot(system().link(0), token);
        system().keep({ stop: async () => plain.cut() });
        await plain.start({ features: ['head'] });
        const asked: { id: string; args: Record<string, unknown> }[] = [];
        plain.answer = (cmd) => (asked.push(cmd), null);
        const calls = [1, 2, 3].map((yaw) => tenant.api().act(plainId, 'move', { yaw }));
        await until(() => asked.length === 3);
        for (const { id: command, args } of asked.toReversed())
          plain.send({ t: 'ack', id: command, ms: 1, ok: true, result: { yaw: args['yaw'], pitch: 45 } });
        assert.deepEqual(
          (await Promise.all(calls)).map(({ body }) => body.yaw),
          [1, 2, 3],
        );
      }));

    it('calls to a robot that never acks fail in bounded time and affect no other robot; a connection without a hello is closed after 10 s', () =>
      withTraffic(async () => {
        const tenant = await system().tenant();
        const { id, robot } = await tenant.robot();
        const other = await tenant.robot();
        const since = performance.now();
        const silent = bare()
          .then(({ closed }) => closed)
          .then((code) => ({ code, tookMs: performance.now() - since }));
        robot.faults.neverAck();
        const keys = await Promise.all([1, 2].map(() => system().store.apiKeys.create({ account: tenant.account, name: 'more' })));
        const calls = Array.from({ length: 45 }, (_, i) => new Api(system().gateway(i), keys[i % 2]!.apiKey).act(id, 'face', { emotion: 'sad' }));
        assert.equal((await tenant.api().act(other.id, 'face', { emotion: 'happy' })).status, 200, 'the other robot of the same account');
        const answers = await Promise.all(calls);
        assert.ok(performance.now() - since < 15_000, `${performance.now() - since} ms`);
        const codes: Record<string, number> = {};
        for (const { status, body } of answers) {
          assert.equal(status, 503);
          codes[body.code] = (codes[body.code] ?? 0) + 1;
        }
        assert.deepEqual(codes, { no_ack: 36, robot_busy: 45 - 36 });
        assert.equal(robot.commands.length, 4, 'what waited for a place was not sent late');
        robot.faults.none();
        assert.equal((await tenant.api(1).act(id, 'face', { emotion: 'happy' })).status, 200, 'it is free again');
        const { code, tookMs } = await silent;
        assert.equal(code, 4400);
        assert.ok(tookMs > 9000, `${tookMs} ms`);
      }));

    it('a robot that does not read delays no other robot, and its calls succeed once it reads', () =>
      withTraffic(async () => {
        const tenant = await system().tenant();
        const { id, robot } = await tenant.robot({ sensors: false });
        robot.faults.stopReading();
        const calls = Array.from({ length: 8 }, (_, i) => tenant.api(i).act(id, 'show', { text: `Nobody reads this ${i} ${Math.random()}` }));
        const polled = await tenant.api().get(`/v1/robots/${id}`);
        assert.equal(polled.status, 200);
        robot.faults.resume();
        for (const { status, body } of await Promise.all(calls)) assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(robot.violations, []);
      }));

    for (const [kind, opcode] of [
      ['pings', 0x89],
      ['unsolicited pongs', 0x8a],
    ] as const) {
      it(`a flood of WebSocket ${kind} closes the session`, () =>
        withTraffic(async () => {
          const { id, socket, closed } = await bare();
          socket.send(JSON.stringify(hello));
          await once(socket, 'message');
          // Frames of 100 bytes with a mask of zeros, in one write, so that sending them does not delay the test's own robots.
          const frame = Buffer.concat([Buffer.from([opcode, 0x80 | 100, 0, 0, 0, 0]), Buffer.alloc(100)]);
          (socket as unknown as { _socket: Socket })._socket.write(Buffer.concat(Array.from({ length: 50_000 }, () => frame)));
          const code = await closed;
          // ws itself closes a connection that does not read the replies to many pings.
          assert.ok(code === 4008 || (opcode === 0x89 && code === 1006), String(code));
          await isAway(id);
        }));
    }
  },
  [shapes[1]!],
);
