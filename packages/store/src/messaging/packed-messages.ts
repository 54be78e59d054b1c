/** Commands and acks without field names: a third of the bytes, and of the time. The batch carries the version (wire-versions.ts). */
import { isObject, toGatewayProblem, toLinkProblem, type RobotCommand, type ToGateway, type ToLink, limits } from '@perch/schema';
import { beforeLastDot, UnreadableMessage } from './unreadable-message.js';

/** `instance` is always the receiver's id. */
export interface Packing<M> {
  pack(message: M, instance: string): unknown;
  unpack(packed: unknown, instance: string): M | UnreadableMessage;
}

type Command = Extract<ToLink, { t: 'command' }>;
type Ack = Extract<ToGateway, { t: 'ack' }>;

type More = Omit<RobotCommand, 'name' | 'args'> & Pick<Command, 'step' | 'trace'>;

/**
 * `~` stands for the gateway, the id's part before its last dot, at the start of a request id. `name` is '' for `leds.set` with packed colours. `callMs`:
 * from the call's arrival to `expires`, five digits instead of thirteen; -1: unknown. `gateway` is in `more` if it is not that of the id.
 */
type PackedCommand = [
  id: string,
  robot: string,
  session: string,
  expires: number,
  requestId: string,
  name: string,
  args: Record<string, unknown> | string,
  callMs?: number,
  more?: More & { gateway?: string },
];

/** Version 1, which 0.10.0 and 0.10.1 write until they know what a receiver reads. `gateway` is '' if it equals the id's part before its last dot. */
type FirstPackedCommand = [
  id: string,
  robot: string,
  session: string,
  gateway: string,
  expires: number,
  requestId: string,
  name: string,
  args: Record<string, unknown> | string,
  more?: More,
  callMs?: number,
];

const nothingMore: More & { gateway?: string } = {};
const unknown = -1;

export const toLinkPacking: Packing<ToLink> = {
  pack(message) {
    if (message.t === 'wait') return { ...message, id: message.record.call };
    return message.t === 'command' ? packedCommand(message) : message;
  },
  unpack(packed, instance) {
    const message = Array.isArray(packed) ? (typeof packed[3] === 'number' ? commandOf(packed) : firstCommandOf(packed)) : waitWithoutId(packed);
    const problem = toLinkProblem(message);
    return problem === null ? (message as ToLink) : new UnreadableMessage(packed, instance, problem);
  },
};

function packedCommand({ id, robot, session, gateway, expires, requestId, command, step, trace, arrivedAt }: Command): PackedCommand {
  const { name, args } = command;
  const leds = packLeds(name, args);
  const ends = Math.floor(expires);
  const packed: PackedCommand = [id, robot, session, ends, shortRequestId(requestId, gateway), leds === null ? name : '', leds ?? args];
  const callMs = arrivedAt === undefined ? unknown : ends - Math.floor(arrivedAt);
  const isUsual = gateway === beforeLastDot(id);
  const more = moreOf(command, step, trace);
  if (more !== null || !isUsual) packed.push(callMs, isUsual ? more! : { ...more, gateway });
  else if (callMs !== unknown) packed.push(callMs);
  return packed;
}

/** @returns null if the array lacks even the strings and arguments */
function commandOf(packed: readonly unknown[]): Command | null {
  const [id, robot, session, expires, requestId, name, args, callMs = unknown, more = nothingMore] = packed as Partial<PackedCommand>;
  if (typeof id !== 'string' || typeof requestId !== 'string' || typeof callMs !== 'number' || !isObject(more)) return null;
  const gateway = typeof more.gateway === 'string' ? more.gateway : beforeLastDot(id);
  const command = name === '' ? { name: 'leds.set', args: typeof args === 'string' ? unpackLeds(args) : null } : { name, args };
  const message = { t: 'command', id, robot, session, gateway, expires, requestId: wholeRequestId(requestId, gateway), command } as Command;
  return withMore(message, more, callMs === unknown ? undefined : callMs);
}

/** As `commandOf`. */
function firstCommandOf(packed: readonly unknown[]): Command | null {
  const [id, robot, session, named, expires, requestId, name, args, more = nothingMore, callMs] = packed as Partial<FirstPackedCommand>;
  if (typeof id !== 'string' || typeof named !== 'string' || typeof requestId !== 'string') return null;
  if ((callMs !== undefined && typeof callMs !== 'number') || !isObject(more)) return null;
  const gateway = named === '' ? beforeLastDot(id) : named;
  const command = { name, args: typeof args === 'string' && name === 'leds.set' ? unpackLeds(args) : args };
  const message = { t: 'command', id, robot, session, gateway, expires, requestId: wholeRequestId(requestId, gateway), command } as Command;
  return withMore(message, more, callMs);
}

function shortRequestId(requestId: string, gateway: string): string {
  return requestId.startsWith(gateway) ? `~${requestId.slice(gateway.length)}` : requestId;
}

function wholeRequestId(short: string, gateway: string): string {
  return short.startsWith('~') ? gateway + short.slice(1) : short;
}

/** @returns null if there is nothing more */
function moreOf({ attachments, sound, pages, countdown }: RobotCommand, step: Command['step'], trace: Command['trace']): More | null {
  if (attachments === undefined && sound === undefined && step === undefined && trace === undefined) return null;
  return {
    ...(attachments && { attachments }),
    ...(sound && { sound }),
    ...(pages && { pages }),
    ...(countdown && { countdown }),
    ...(step && { step }),
    ...(trace && { trace }),
  };
}

function withMore(message: Command, { attachments, sound, pages, countdown, step, trace }: More, callMs: number | undefined): Command {
  if (callMs !== undefined) message.arrivedAt = message.expires - callMs;
  if (attachments !== undefined) message.command.attachments = attachments;
  if (sound !== undefined) message.command.sound = sound;
  if (pages !== undefined) message.command.pages = pages;
  if (countdown !== undefined) message.command.countdown = countdown;
  if (step !== undefined) message.step = step;
  if (typeof trace === 'string') message.trace = trace;
  return message;
}

/** The id of a wait is there for receivers that cannot read the rest; the record has it as `call`. */
function waitWithoutId(packed: unknown): unknown {
  if (typeof packed !== 'object' || packed === null || !('t' in packed) || packed.t !== 'wait') return packed;
  const { id: _, ...message } = packed as { id?: unknown };
  return message;
}

/** The id without the receiving instance, then the robot's answer if there is one, if the command was late, or if the outcome of its call is stored. */
export const toGatewayPacking: Packing<ToGateway> = {
  pack(message, instance) {
    if (message.t !== 'ack') return message;
    const { id, result, receivedAt, ended } = message;
    const short = id.startsWith(`${instance}.`) ? id.slice(instance.length) : id;
    if (ended === true) return [short, result, receivedAt === undefined ? 0 : Math.floor(receivedAt), 1];
    if (receivedAt !== undefined) return [short, result, Math.floor(receivedAt)];
    for (const _ in result) return [short, result];
    return short;
  },
  unpack(packed, instance) {
    let message = packed;
    if (typeof packed === 'string') message = ackOf(packed, {}, instance);
    else if (Array.isArray(packed)) message = ackOf(packed[0], packed[1], instance, packed[2], packed[3]);
    const problem = toGatewayProblem(message);
    return problem === null ? (message as ToGateway) : new UnreadableMessage(packed, instance, problem);
  },
};

/** @param receivedAt 0: the command was not late */
function ackOf(short: unknown, result: unknown, instance: string, receivedAt?: unknown, ended?: unknown): Ack {
  const id = typeof short === 'string' && short.startsWith('.') ? instance + short : short;
  const ack = { t: 'ack', id, result } as Ack;
  if (typeof receivedAt === 'number' && receivedAt > 0) ack.receivedAt = receivedAt;
  if (ended === 1) ack.ended = true;
  return ack;
}

/** The colours of `leds.set`, the most frequent command: one or twelve, concatenated. Quoted, they were half of an action's bytes through Redis. */
type Args = Record<string, unknown>;

const { count } = limits.leds;
const colorChars = '#rrggbb'.length;

/** @returns null for other commands and for arguments that do not fit the form */
function packLeds(name: string, { pixels, ...more }: Args): string | null {
  if (name !== 'leds.set' || !Array.isArray(pixels) || pixels.length !== count) return null;
  for (const _ in more) return null;
  const first: unknown = pixels[0];
  let same = true;
  for (const pixel of pixels as unknown[]) {
    if (typeof pixel !== 'string' || pixel.length !== colorChars) return null;
    same &&= pixel === first;
  }
  return same ? (first as string) : pixels.join('');
}

/** @returns null when the text is not as long as one colour or twelve */
function unpackLeds(packed: string): Args | null {
  if (packed.length !== colorChars && packed.length !== count * colorChars) return null;
  const one = packed.length === colorChars;
  return { pixels: Array.from({ length: count }, (_, i) => (one ? packed : packed.slice(i * colorChars, (i + 1) * colorChars))) };
}
