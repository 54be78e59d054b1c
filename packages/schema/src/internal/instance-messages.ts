/** A command is checked down to its arguments: a lenient robot acks what it cannot use. By hand, as compiled schemas take three times as long. */
import { Type } from 'typebox';
import type { TSchema } from 'typebox';
import { compile, type Validator } from '../validation/ajv.js';
import { errorCodes } from '../base/error.js';
import { limits } from '../base/limits.js';
import { robotCommands, type RobotCommandName } from '../link/commands.js';
import { isObject } from '../base/is-object.js';
import { PictureNotesSchema } from '../values/picture-notes.js';
import type { RobotCommand, ToGateway, ToLink } from './messages.js';
import { oneOf, openObject } from '../base/open-object.js';

/** `type`: unknown to this release. `shape`: the fields do not match. */
export type MessageProblem = 'type' | 'shape';

const id = () => Type.String({ minLength: 1 });
const text = () => Type.String();
const ms = () => Type.Number({ minimum: 0 });
const size = () => Type.Integer({ minimum: 0 });
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const PictureRefSchema = Type.Object({
  kind: Type.Literal('picture'),
  account: id(),
  hash: id(),
  format: oneOf(['jpeg', 'png']),
  bytes: size(),
  crc32: size(),
  w: size(),
  h: size(),
  notes: Type.Optional(PictureNotesSchema),
  page: Type.Optional(Type.Object({ count: size(), ms: ms(), exact: Type.Optional(Type.Literal(true)) })),
});
export const SoundRefSchema = Type.Object({
  kind: Type.Literal('sound'),
  account: id(),
  hash: id(),
  format: oneOf(['pcm_s16le']),
  rate: Type.Integer({ minimum: 1 }),
  bytes: size(),
  growing: Type.Optional(Type.Literal(true)),
});
const AttachmentsSchema = Type.Array(Type.Object({ path: Type.Array(Type.String()), picture: PictureRefSchema }));
const PagesSchema = Type.Array(Type.Object({ id: id(), picture: PictureRefSchema, afterMs: ms() }), { maxItems: limits.show.pagesMax });
const CardCountdownSchema = Type.Object({
  end: ms(),
  scene: Type.Object({ w: size(), h: size(), background: text(), boxes: Type.Array(Type.Object({ kind: text() })) }),
  formats: Type.Array(oneOf(['jpeg', 'png']), { minItems: 1 }),
  bytesMax: size(),
});
const StepSchema = Type.Object({ call: id(), at: size(), answer: Type.Optional(Type.Array(id())) });

const TargetSchema = Type.Union([
  Type.Object({ shape: Type.Literal('rect'), x: Type.Number(), y: Type.Number(), w: Type.Number(), h: Type.Number() }),
  Type.Object({ shape: Type.Literal('circle'), x: Type.Number(), y: Type.Number(), r: Type.Number() }),
  Type.Object({
    shape: Type.Literal('polygon'),
    points: Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), { minItems: 3 }),
  }),
]);
export const WaitRecordSchema = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  kind: oneOf(['ask', 'menu', 'clickmap']),
  targets: Type.Array(TargetSchema),
  picture: orNull(PictureRefSchema),
  pages: Type.Optional(PagesSchema),
  greyPages: Type.Optional(PagesSchema),
  timeoutMs: ms(),
  gateway: id(),
  call: id(),
  requestId: text(),
  keptMs: Type.Optional(ms()),
  says: Type.Optional(text()),
  consent: Type.Optional(
    Type.Object({
      by: Type.Optional(text()),
      approval: Type.Optional(Type.Literal(true)),
      deny: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
  ),
});
const ScreenStateSchema = Type.Object({ card: orNull(text()), question: orNull(text()), emotion: text(), view: text() });
const ObservedStateSchema = Type.Object({
  bubble: orNull(text()),
  head: Type.Object({ yaw: orNull(Type.Number()), pitch: orNull(Type.Number()), moving: Type.Boolean() }),
  leds: Type.Object({
    pixels: orNull(Type.Array(text())),
    effect: orNull(Type.Object({ name: text(), color: orNull(text()), palette: orNull(Type.Array(text())), speed: Type.Number() })),
  }),
  sound: Type.Boolean(),
});

const fitsAttachments = compile(AttachmentsSchema);
const fitsSound = compile(SoundRefSchema);
const fitsPages = compile(PagesSchema);
const fitsCountdown = compile(CardCountdownSchema);
const fitsStep = compile(StepSchema);

const toLink: Record<Exclude<ToLink['t'], 'command'>, Validator> = {
  state: compile(
    Type.Object({
      id: id(),
      robot: id(),
      session: id(),
      gateway: id(),
      expires: ms(),
      doing: Type.Optional(Type.Literal(true)),
      settings: Type.Optional(Type.Literal(true)),
    }),
  ),
  wait: compile(Type.Object({ robot: id(), session: id(), record: WaitRecordSchema, arrivedAt: Type.Optional(ms()) })),
  wait_end: compile(Type.Object({ robot: id(), session: id(), number: Type.Integer({ minimum: 0 }) })),
  close: compile(Type.Object({ robot: id(), session: orNull(id()), code: Type.Union([Type.Literal(4001), Type.Literal(4003)]) })),
};

const toGateway: Record<Exclude<ToGateway['t'], 'ack'>, Validator> = {
  replaced: compile(Type.Object({ id: id() })),
  nack: compile(Type.Object({ id: id(), code: oneOf(Object.keys(errorCodes)), error: text() })),
  not_here: compile(Type.Object({ id: id() })),
  media_missing: compile(Type.Object({ id: id(), hash: id() })),
  state: compile(
    Type.Object({
      id: id(),
      readings: openObject(),
      readingsAt: orNull(Type.Number()),
      showing: ScreenStateSchema,
      doing: Type.Optional(ObservedStateSchema),
    }),
  ),
};

/** When it sends a picture or sound; absent from the message. */
const addedByLink: Partial<Record<RobotCommandName, readonly string[]>> = {
  'screen.show': ['stream', 'format', 'bytes', 'crc32'],
  'audio.play': ['stream', 'id', 'format', 'rate', 'bytes'],
};

const argsOf: ReadonlyMap<string, Validator> = new Map(
  Object.entries(robotCommands).map(([name, { args }]) => {
    const added = addedByLink[name as RobotCommandName] ?? [];
    const { required = [], ...schema } = args as TSchema & { required?: string[] };
    return [name, compile({ ...schema, required: required.filter((field) => !added.includes(field)) })];
  }),
);

/** Never throws. */
export function toLinkProblem(message: unknown): MessageProblem | null {
  if (!isObject(message)) return 'shape';
  if (message['t'] === 'command') return commandMessageProblem(message);
  return problemOf(toLink, message);
}

/** Never throws. */
export function toGatewayProblem(message: unknown): MessageProblem | null {
  if (!isObject(message)) return 'shape';
  if (message['t'] === 'ack') return isId(message['id']) && isObject(message['result']) ? null : 'shape';
  return problemOf(toGateway, message);
}

function problemOf(validators: Readonly<Record<string, Validator>>, message: Record<string, unknown>): MessageProblem | null {
  const type = message['t'];
  if (typeof type !== 'string' || !Object.hasOwn(validators, type)) return 'type';
  return validators[type]!(message) ? null : 'shape';
}

function commandMessageProblem(message: Record<keyof Extract<ToLink, { t: 'command' }>, unknown>): MessageProblem | null {
  const { id, robot, session, gateway, expires, requestId, command, step, arrivedAt } = message;
  if (!isId(id) || !isId(robot) || !isId(session) || !isId(gateway) || typeof requestId !== 'string') return 'shape';
  if (typeof expires !== 'number' || !(expires >= 0)) return 'shape';
  if (step !== undefined && !fitsStep(step)) return 'shape';
  if (arrivedAt !== undefined && !(typeof arrivedAt === 'number' && arrivedAt >= 0)) return 'shape';
  return isObject(command) ? commandProblem(command) : 'shape';
}

function commandProblem({ name, args, attachments, sound, pages, countdown }: Partial<Record<keyof RobotCommand, unknown>>): MessageProblem | null {
  if (typeof name !== 'string') return 'shape';
  const fits = argsOf.get(name);
  if (fits === undefined) return 'type';
  if (!fits(args)) return 'shape';
  if (attachments !== undefined && !fitsAttachments(attachments)) return 'shape';
  if (sound !== undefined && !fitsSound(sound)) return 'shape';
  if (pages !== undefined && !fitsPages(pages)) return 'shape';
  if (countdown !== undefined && !fitsCountdown(countdown)) return 'shape';
  // Without the media the robot would get incomplete arguments.
  if (name === 'audio.play') return sound === undefined ? 'shape' : null;
  if (name === 'screen.show') return isWholePicture(attachments) ? null : 'shape';
  return null;
}

function isWholePicture(attachments: unknown): boolean {
  const list = (attachments ?? []) as NonNullable<RobotCommand['attachments']>;
  return list.length === 1 && list[0]!.path.length === 0;
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

const fitsRecord = compile(WaitRecordSchema);
const fitsJob = compile(
  Type.Union([
    Type.Object({
      kind: Type.Literal('draw'),
      account: id(),
      hash: id(),
      scene: Type.Unknown(),
      uploads: Type.Array(id()),
      formats: Type.Array(oneOf(['jpeg', 'png']), { minItems: 1 }),
      bytesMax: size(),
    }),
    Type.Object({ kind: Type.Literal('sound'), account: id(), hash: id(), spec: openObject(), rate: Type.Integer({ minimum: 1 }) }),
    Type.Object({
      kind: Type.Literal('speech'),
      account: id(),
      hash: id(),
      text: id(),
      voice: Type.Optional(text()),
      lang: Type.Optional(text()),
      rate: Type.Integer({ minimum: 1 }),
    }),
  ]),
);

export function cardCountdownFits(value: object): boolean {
  return fitsCountdown(value);
}

export function waitRecordFits(value: object): boolean {
  return fitsRecord(value);
}

/** Leaves the scene to the renderer. */
export function renderJobFits(value: object): boolean {
  return fitsJob(value);
}
