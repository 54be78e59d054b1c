import assert from 'node:assert/strict';
import type { ToGateway, ToLink, WaitRecord } from '@perch/schema';
import type { UnreadableMessage } from '../src/messaging/unreadable-message.js';
import { toGatewayPacking, toLinkPacking } from '../src/messaging/packed-messages.js';

const overTheWire = (packed: unknown): unknown => JSON.parse(JSON.stringify([packed]))[0];
const asLinkReads = (message: ToLink): ToLink | UnreadableMessage => toLinkPacking.unpack(overTheWire(toLinkPacking.pack(message, 'rl-b')), 'rl-b');
const asGatewayReads = (message: ToGateway): ToGateway | UnreadableMessage =>
  toGatewayPacking.unpack(overTheWire(toGatewayPacking.pack(message, 'gw-a')), 'gw-a');

const command: Extract<ToLink, { t: 'command' }> = {
  t: 'command',
  id: 'gw-a.1x',
  robot: 'r-1',
  session: 's-1',
  gateway: 'gw-a',
  expires: 1_763_766_000_000,
  requestId: 'gw-a-2k',
  command: { name: 'leds.set', args: { pixels: Array.from({ length: 12 }, () => '#000000') } },
};
const picture = { kind: 'picture', account: 'a-1', hash: 'h', format: 'png', bytes: 9, crc32: 1, w: 320, h: 240 } as const;

const record: WaitRecord = {
  number: 7,
  kind: 'menu',
  targets: [{ shape: 'rect', x: 0, y: 0, w: 160, h: 240 }],
  picture,
  timeoutMs: 30_000,
  gateway: 'gw-a',
  call: 'gw-a.w',
  requestId: 'q',
};

describe('packed messages', () => {
  it('unpacks commands to robot-links unchanged, with any request id, pictures and sounds', () => {
    const messages: ToLink[] = [
      command,
      { ...command, requestId: 'mine' },
      { ...command, requestId: '-mine' },
      { ...command, requestId: '' },
      { ...command, requestId: 'gw-a' },
      { ...command, id: 'of-somebody-else.1' },
      { ...command, id: 'no-dot' },
      { ...command, id: 'no-dot', arrivedAt: command.expires - 10_000, trace: 't' },
      { ...command, command: { ...command.command, attachments: [{ path: ['a'], picture }] } },
      {
        ...command,
        command: {
          name: 'screen.show',
          args: { layer: 'card', id: 'c' },
          attachments: [{ path: [], picture }],
          countdown: { end: 5, scene: { w: 320, h: 240, background: '#000000', boxes: [] }, formats: ['png'], bytesMax: 1 },
        },
      },
      { ...command, step: { call: 'n', at: 2 } },
      { ...command, step: { call: 'n', at: 0, answer: ['yaw'] } },
      { ...command, arrivedAt: command.expires - 10_000 },
      { ...command, arrivedAt: command.expires },
      { ...command, arrivedAt: command.expires - 10_000, step: { call: 'n', at: 2 } },
      { ...command, trace: '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331' },
      { ...command, command: { ...command.command, attachments: [{ path: [], picture }] }, step: { call: 'n', at: 0 } },
      {
        ...command,
        command: { name: 'audio.play', args: {}, sound: { kind: 'sound', account: 'a-1', hash: 'h', format: 'pcm_s16le', rate: 16_000, bytes: 2 } },
      },
    ];
    for (const message of messages) assert.deepEqual(asLinkReads(message), message);
  });

  it('unpacks commands and waits of version 1, as 0.10.0 and 0.10.1 write them until they know that the receiver reads version 2', () => {
    const arrivedAt = command.expires - 10_000;
    const face = { name: 'face', args: { emotion: 'happy' } };
    const card = { name: 'screen.show', args: { layer: 'card', id: 'c' }, attachments: [{ path: [], picture }] };
    const trace = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';
    const head = ['r-1', 's-1', '', 1_763_766_000_000, '~-2k'];
    const wait = { t: 'wait', robot: 'r-1', session: 's-1', record } as const;
    const packed: [packed: unknown, message: ToLink][] = [
      [['gw-a.1x', ...head, 'leds.set', '#000000'], command],
      [['gw-a.1x', ...head, 'leds.set', '#000000', {}, 10_000], { ...command, arrivedAt }],
      [['gw-a.1x', ...head, 'leds.set', '#000000', { trace }], { ...command, trace }],
      [
        ['other.1', 'r-1', 's-1', 'gw-a', 1_763_766_000_000, 'mine', 'face', face.args],
        { ...command, id: 'other.1', requestId: 'mine', command: face },
      ],
      [
        ['gw-a.1x', ...head, card.name, card.args, { attachments: card.attachments, step: { call: 'n', at: 2 } }, 10_000],
        { ...command, command: card, step: { call: 'n', at: 2 }, arrivedAt },
      ],
      [wait, wait],
    ];
    for (const [text, message] of packed) assert.deepEqual(toLinkPacking.unpack(overTheWire(text), 'rl-b'), message);
  });

  it('writes equal LED colours once, and different ones as a list without quotes', () => {
    const one = Array.from({ length: 12 }, () => '#0a0b0c');
    const twelve = Array.from({ length: 12 }, (_, i) => `#0000${(i + 16).toString(16)}`);
    const bytesOf = (args: Record<string, unknown>): number => {
      const message: ToLink = { ...command, command: { name: 'leds.set', args } };
      assert.deepEqual(asLinkReads(message), message);
      const bare: ToLink = { ...command, command: { name: 'leds.set', args: {} } };
      return JSON.stringify(toLinkPacking.pack(message, 'rl-b')).length - JSON.stringify(toLinkPacking.pack(bare, 'rl-b')).length;
    };
    // Packed colours need no name of their command.
    const withoutName = -'leds.set'.length;
    assert.equal(bytesOf({ pixels: one }), 7 + withoutName);
    assert.equal(bytesOf({ pixels: twelve }), 84 + withoutName);
    bytesOf({ pixels: one, more: 1 });
    const other: ToLink = { ...command, command: { name: 'robot', args: { command: 'light', args: { pixels: one } } } };
    assert.deepEqual(asLinkReads(other), other);
  });

  it('rounds the expiry of a command down', () => {
    const read = asLinkReads({ ...command, expires: 1000.9 });
    assert.equal((read as typeof command).expires, 1000);
  });

  it('packs the arrival time of a call into six bytes, and omits an unknown one', () => {
    const bytes = (message: ToLink): number => JSON.stringify(toLinkPacking.pack(message, 'rl-b')).length;
    assert.equal(bytes({ ...command, arrivedAt: command.expires - 10_000 }) - bytes(command), ',10000'.length);
    assert.ok(!('arrivedAt' in asLinkReads(command)));
  });

  it('rejects a message whose arrival time is invalid', () => {
    const packed = toLinkPacking.pack({ ...command, arrivedAt: command.expires - 10_000 }, 'rl-b') as unknown[];
    for (const wrong of ['10000', null, {}, command.expires + 1])
      assert.ok('reason' in toLinkPacking.unpack(overTheWire([...packed.slice(0, -1), wrong]), 'rl-b'), JSON.stringify(wrong));
    const first = ['gw-a.1x', 'r-1', 's-1', '', command.expires, '~-2k', 'leds.set', '#000000', {}, 10_000];
    for (const wrong of ['10000', null, {}, command.expires + 1])
      assert.ok('reason' in toLinkPacking.unpack(overTheWire([...first.slice(0, -1), wrong]), 'rl-b'), JSON.stringify(wrong));
  });

  it('omits a trace that is not sampled, and ignores a trace that is not a string', () => {
    const bytes = (message: ToLink): number => JSON.stringify(toLinkPacking.pack(message, 'rl-b')).length;
    const trace = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';
    assert.equal(bytes({ ...command, trace }) - bytes(command), `,-1,{"trace":"${trace}"}`.length);
    assert.ok(!('trace' in asLinkReads(command)));
    const packed = toLinkPacking.pack({ ...command, trace }, 'rl-b') as unknown[];
    assert.deepEqual(toLinkPacking.unpack([...packed.slice(0, -1), { trace: 7 }], 'rl-b'), asLinkReads(command));
  });

  it('unpacks acks to gateways unchanged, with and without a result, to the same and another gateway', () => {
    const messages: ToGateway[] = [
      { t: 'ack', id: 'gw-a.1x', result: {} },
      { t: 'ack', id: 'gw-a.1x', result: { yaw: 3 } },
      { t: 'ack', id: 'gw-a.1x', result: {}, receivedAt: 1_790_000_000_000 },
      { t: 'ack', id: 'gw-ab.1x', result: {} },
      { t: 'ack', id: 'gw-a.1x', result: {}, ended: true },
      { t: 'ack', id: 'gw-a.1x', result: { yaw: 3 }, receivedAt: 1_790_000_000_000, ended: true },
      { t: 'ack', id: 'plain', result: { t: 'ack' } },
      { t: 'nack', id: 'gw-a.1x', code: 'robot_busy', error: 'Busy.' },
      { t: 'not_here', id: 'gw-a.1x' },
    ];
    for (const message of messages) assert.deepEqual(asGatewayReads(message), message);
  });

  it('leaves all other messages unchanged', () => {
    const messages: ToLink[] = [
      { t: 'close', robot: 'r-1', session: null, code: 4003 },
      { t: 'wait_end', robot: 'r-1', session: 's-1', number: 7 },
      { t: 'state', id: 'gw-a.2', robot: 'r-1', session: 's-1', gateway: 'gw-a', expires: 5 },
    ];
    for (const message of messages) assert.deepEqual(asLinkReads(message), message);
  });

  it('takes less than half of the bytes', () => {
    const bytes = (value: unknown): number => JSON.stringify(value).length;
    const { name } = command.command;
    const args = { pixels: ['#000000'] };
    const short: ToLink = { ...command, command: { name, args } };
    assert.ok(bytes(toLinkPacking.pack(short, 'rl-b')) - bytes({ name, args }) < (bytes(short) - bytes({ name, args })) / 2);
    assert.ok(bytes(toGatewayPacking.pack({ t: 'ack', id: 'gw-a.1x', result: {} }, 'gw-a')) < 8);
  });
});
