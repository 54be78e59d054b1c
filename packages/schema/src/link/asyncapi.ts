import type { TSchema } from 'typebox';
import { AckSchema } from './ack.js';
import { closeCodes } from './close-codes.js';
import { CmdSchema, robotCommands } from './commands.js';
import { frameHeaderBytes } from './frame.js';
import { HelloSchema, WelcomeSchema } from './hello.js';
import { InAckSchema, inputSchemas } from './input.js';
import { linkExamples } from './examples.js';
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
