import type { ToGateway, ToLink, WaitRecord } from '@perch/schema';

const ack: ToGateway = { t: 'ack', id: 'gw-golden.1', result: { yaw: 20 } };
const pixels = ['#0a0b0c', ...Array.from({ length: 11 }, () => '#102030')];

/** Returns one of every message, in the order in which they are sent. */
export function messages(): { toLink: ToLink[]; toGateway: ToGateway[] } {
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
      { ...command, id: 'gw-golden.7', arrivedAt, command: { name: 'leds.set', args: { pixels } } },
      { ...command, id: 'gw-golden.8', arrivedAt, command: { name: 'leds.set', args: { pixels } }, step: { call: 'n', at: 0 } },
      { t: 'wait', ...at, record, arrivedAt },
      { ...command, id: 'gw-golden.9', arrivedAt, command: { name: 'leds.set', args: { pixels } }, trace },
      { t: 'wait', ...at, record: { ...record, number: 8, trace } },
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
      lateAck,
    ],
  };
}
