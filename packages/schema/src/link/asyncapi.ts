import type { TSchema } from 'typebox';
import { AckSchema } from './ack.js';
import { closeCodes } from './close-codes.js';
import { CmdSchema, robotCommands } from './commands.js';
import { frameHeaderBytes } from './frame.js';
import { HelloSchema, WelcomeSchema } from './hello.js';
import { InAckSchema, inputSchemas } from './input.js';
import { FlowSchema, LogSchema, PingSchema, PlayDoneSchema, PongSchema, SensorsSchema, UpdateFailedSchema } from './report.js';

interface Message {
  name: string;
  title: string;
  summary: string;
  contentType: string;
  payload: Record<string, unknown>;
  examples?: { payload: unknown }[];
}

export interface AsyncApiDocument {
  asyncapi: '3.0.0';
  info: Record<string, unknown>;
  defaultContentType: string;
  servers: Record<string, Record<string, unknown>>;
  channels: Record<string, { messages: Record<string, { $ref: string }> } & Record<string, unknown>>;
  operations: Record<string, Record<string, unknown>>;
  components: { messages: Record<string, Message>; schemas: Record<string, Record<string, unknown>>; securitySchemes: Record<string, unknown> };
}

const fromRobot: Record<string, TSchema> = {
  hello: HelloSchema,
  ack: AckSchema,
  sensors: SensorsSchema,
  flow: FlowSchema,
  play_done: PlayDoneSchema,
  log: LogSchema,
  update_failed: UpdateFailedSchema,
  ...Object.fromEntries(Object.entries(inputSchemas).map(([kind, schema]) => [`in_${kind}`, schema])),
};
const toRobot: Record<string, TSchema> = { welcome: WelcomeSchema, cmd: CmdSchema, in_ack: InAckSchema };
const bothWays: Record<string, TSchema> = { ping: PingSchema, pong: PongSchema };

/** @param host such as `robots.example` @returns plain JSON, a new object at each call */
export function asyncApiDocument(host: string): AsyncApiDocument {
  const document: AsyncApiDocument = {
    asyncapi: '3.0.0',
    info: {
      title: 'Perch robot link',
      version: '1.0.0',
      description: `The connection between a robot and the service. Text frames are JSON objects with a field t; unknown fields and unknown t are ignored.\n\nClose codes:\n\n${closeCodeLines()}`,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      service: {
        host,
        protocol: 'wss',
        description: 'Subprotocol perch-link.v1; a browser offers bearer.<robot token> as a second one.',
        security: [{ $ref: '#/components/securitySchemes/robotToken' }],
      },
    },
    channels: {
      link: {
        address: '/robot/v1/link',
        title: 'Robot link',
        description: 'One WebSocket per robot.',
        messages: references([...Object.keys(fromRobot), ...Object.keys(toRobot), ...Object.keys(bothWays), 'media'], '#/components/messages/'),
      },
    },
    operations: {
      receive: operation('receive', 'Messages from the robot to the service.', [...Object.keys(fromRobot), ...Object.keys(bothWays)]),
      send: operation('send', 'Messages from the service to the robot.', [...Object.keys(toRobot), ...Object.keys(bothWays), 'media']),
    },
    components: {
      messages: { ...messages({ ...fromRobot, ...toRobot, ...bothWays }), media },
      schemas: Object.fromEntries(
        Object.entries(robotCommands).map(([name, { args, description }]) => [
          `args.${name}`,
          { ...args, title: `Arguments of ${name}`, description },
        ]),
      ),
      securitySchemes: { robotToken: { type: 'http', scheme: 'bearer' } },
    },
  };
  return JSON.parse(JSON.stringify(document)) as AsyncApiDocument;
}

const media: Message = {
  name: 'media',
  title: 'media',
  summary: 'A part of a picture or a sound: a binary frame.',
  contentType: 'application/octet-stream',
  payload: {
    type: 'string',
    description: `A header of ${frameHeaderBytes} bytes (kind u8: 1 picture, 2 audio; flags u8: 1 first, 2 last; stream u16 BE; offset u32 BE), then at most max_part_bytes of payload.`,
  },
};

function messages(schemas: Record<string, TSchema>): Record<string, Message> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const { description } = schema as { description?: string };
      const examples = linkExamples[name];
      const message: Message = {
        name,
        title: name,
        summary: description ?? name,
        contentType: 'application/json',
        payload: schema as unknown as Record<string, unknown>,
      };
      return [name, examples === undefined ? message : { ...message, examples: examples.map((payload) => ({ payload })) }];
    }),
  );
}

function operation(action: 'receive' | 'send', summary: string, names: string[]): Record<string, unknown> {
  return { action, summary, channel: { $ref: '#/channels/link' }, messages: Object.values(references(names, '#/channels/link/messages/')) };
}

function references(names: string[], at: string): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: at + name }]));
}

function closeCodeLines(): string {
  return Object.entries(closeCodes)
    .map(([code, { name, reason, redial }]) => `- ${code} ${name}: ${reason}; the robot dials again: ${redial.replaceAll('_', ' ')}`)
    .join('\n');
}

const brightness = {
  name: 'brightness',
  description: 'Screen brightness',
  class: 'program',
  args: { type: 'object', properties: { pct: { type: 'integer', minimum: 0, maximum: 100 } }, required: ['pct'], additionalProperties: false },
};

/** Examples of the messages between robot and robot-link, by their names in the AsyncAPI description. A test validates them against the schemas. */
export const linkExamples: Record<string, unknown[]> = {
  hello: [
    {
      t: 'hello',
      v: [1],
      model: 'stackchan-k151',
      firmware: '1.0.0',
      boot_id: 'b7f2c1',
      dial: 1,
      reason: 'start',
      boot: { cause: 'crash', error: 'OSError: [Errno 12] ENOMEM in screen.py:88' },
      screen: { w: 320, h: 240, formats: ['jpeg', 'png'], max_bytes: 98_304 },
      audio: { formats: ['pcm_s16le'], rates: [16_000, 24_000], buffer_bytes: 98_304, max_part_bytes: 4096 },
      leds: { count: 12 },
      features: ['screen', 'touch', 'face', 'bubble', 'head', 'leds', 'speaker'],
      showing: { card: null, question: null, emotion: 'neutral', view: 'face' },
      commands: [brightness],
    },
  ],
  welcome: [
    { t: 'welcome', v: 1, session: 's-9f3', time_ms: 1_790_000_000_000, sensors_ms: 2000, ping_ms: 15_000, in_ack: 0 },
    {
      t: 'welcome',
      v: 1,
      session: 's-9f3',
      time_ms: 1_790_000_000_000,
      sensors_ms: 2000,
      ping_ms: 15_000,
      in_ack: 0,
      update: { version: '0.2', url: `/robot/v1/program/${'5e'.repeat(32)}`, sha256: '5e'.repeat(32), size: 240_000 },
    },
  ],
  cmd: [{ t: 'cmd', id: 'c42', name: 'head.move', args: { yaw: 20 }, ttl_ms: 5000 }],
  ack: [
    { t: 'ack', id: 'c42', ms: 81_200, ok: true, result: {} },
    { t: 'ack', id: 'c42', ms: 81_200, ok: false, code: 'bad_args', error: 'yaw is not a number' },
  ],
  sensors: [{ t: 'sensors', values: { battery_pct: 81, light_lux: 240 } }],
  flow: [{ t: 'flow', stream: 7, received: 49_152, free: 49_152, played_ms: 1200 }],
  log: [{ t: 'log', level: 'warn', text: 'servo 1: no answer, 3rd try' }],
  update_failed: [{ t: 'update_failed', version: '0.2', error: 'the file has another sha256' }],
  play_done: [{ t: 'play_done', stream: 7, reason: 'end' }],
  in_touch_down: [
    { t: 'in', seq: 6, ms: 81_143, kind: 'touch_down', x: 160, y: 120 },
    { t: 'in', seq: 6, ms: 81_143, kind: 'touch_down', x: 160, y: 120, dark: true },
  ],
  in_touch_up: [{ t: 'in', seq: 7, ms: 81_233, kind: 'touch_up', x: 160, y: 120, held_ms: 90 }],
  in_head_down: [{ t: 'in', seq: 8, ms: 82_000, kind: 'head_down', zone: 1 }],
  in_head_up: [{ t: 'in', seq: 9, ms: 82_300, kind: 'head_up', zone: 1, held_ms: 300 }],
  in_head_swipe: [{ t: 'in', seq: 10, ms: 83_000, kind: 'head_swipe', zone: 1, dir: 'forward' }],
  in_imu_burst: [
    {
      t: 'in',
      seq: 11,
      ms: 84_000,
      kind: 'imu_burst',
      hz: 100,
      samples: [
        [0, 0, 1],
        [0.4, 0.1, 1.6],
      ],
    },
  ],
  in_prox: [{ t: 'in', seq: 12, ms: 85_000, kind: 'prox', raw: 320 }],
  in_nfc_in: [{ t: 'in', seq: 13, ms: 86_000, kind: 'nfc_in', uid: '04a1b2c3d4e5f6', type: 'ntag213', ndef_b64: '0QEMVQFwZXJjaC50ZXN0' }],
  in_nfc_out: [{ t: 'in', seq: 14, ms: 87_000, kind: 'nfc_out', uid: '04a1b2c3d4e5f6' }],
  in_ir: [
    { t: 'in', seq: 15, ms: 88_000, kind: 'ir', raw_us: [9000, 4500, 560, 560, 560, 1690] },
    { t: 'in', seq: 15, ms: 88_000, kind: 'ir', address: 4, command: 8 },
  ],
  in_power_key: [
    { t: 'in', seq: 16, ms: 89_000, kind: 'power_key', held_ms: 120 },
    { t: 'in', seq: 16, ms: 89_000, kind: 'power_key', press: 'short' },
  ],
  in_usb: [{ t: 'in', seq: 17, ms: 90_000, kind: 'usb', present: true }],
  in_ack: [{ t: 'in_ack', seq: 17 }],
  ping: [{ t: 'ping' }],
  pong: [{ t: 'pong' }],
};
