/**
 * How messages between instances are written: the two that every action needs without the names of their fields and without what the
 * receiver knows anyhow, the others as they are. A third of an action's bytes through Redis, and of the time to write and read them.
 */
import type { RobotCommand, ToGateway, ToLink } from '@perch/schema';
import { packLeds, unpackLeds } from './packed-leds.js';

/** Writes the messages to one instance, and reads them there. `instance` is always the receiver's. */
export interface Packing<M> {
  pack(message: M, instance: string): unknown;
  unpack(packed: unknown, instance: string): M;
}

type Command = Extract<ToLink, { t: 'command' }>;
type Ack = Extract<ToGateway, { t: 'ack' }>;

/** What most commands do not have. */
type More = Omit<RobotCommand, 'name' | 'args'> & Pick<Command, 'step'>;

/** `gateway` is the id's part before its last dot, where it is; a request id that begins with it is written without, behind a `~`; LEDs are a text. */
type PackedCommand = [
  id: string,
  robot: string,
  session: string,
  gateway: string,
  expires: number,
  requestId: string,
  name: string,
  args: Record<string, unknown> | string,
  more?: More,
];

export const toLinkPacking: Packing<ToLink> = {
  pack(message) {
    if (message.t !== 'command') return message;
    const { id, robot, session, gateway, expires, requestId, command, step } = message;
    const { name, args, attachments, sound } = command;
    const packed: PackedCommand = [
      id,
      robot,
      session,
      gateway === beforeLastDot(id) ? '' : gateway,
      Math.floor(expires),
      requestId.startsWith(gateway) ? `~${requestId.slice(gateway.length)}` : requestId,
      name,
      packLeds(name, args) ?? args,
    ];
    if (attachments !== undefined || sound !== undefined || step !== undefined)
      packed.push({ ...(attachments && { attachments }), ...(sound && { sound }), ...(step && { step }) });
    return packed;
  },
  unpack(packed) {
    if (!Array.isArray(packed)) return packed as ToLink;
    const [id, robot, session, named, expires, requestId, name, args, more] = packed as PackedCommand;
    const gateway = named === '' ? beforeLastDot(id) : named;
    const message: Command = {
      t: 'command',
      id,
      robot,
      session,
      gateway,
      expires,
      requestId: requestId.startsWith('~') ? gateway + requestId.slice(1) : requestId,
      command: { name, args: typeof args === 'string' ? unpackLeds(args) : args },
    };
    if (more !== undefined) {
      const { step, ...media } = more;
      Object.assign(message.command, media);
      if (step !== undefined) message.step = step;
    }
    return message;
  },
};

/** An ack is its id, without the instance it goes to, and what the robot answered where it answered anything. */
export const toGatewayPacking: Packing<ToGateway> = {
  pack(message, instance) {
    if (message.t !== 'ack') return message;
    const { id, result } = message;
    const short = id.startsWith(`${instance}.`) ? id.slice(instance.length) : id;
    for (const _ in result) return [short, result];
    return short;
  },
  unpack(packed, instance) {
    if (typeof packed === 'string') return ackOf(packed, {}, instance);
    if (Array.isArray(packed)) return ackOf(packed[0] as string, packed[1] as Record<string, unknown>, instance);
    return packed as ToGateway;
  },
};

function ackOf(short: string, result: Record<string, unknown>, instance: string): Ack {
  return { t: 'ack', id: short.startsWith('.') ? instance + short : short, result };
}

function beforeLastDot(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('.')));
}
