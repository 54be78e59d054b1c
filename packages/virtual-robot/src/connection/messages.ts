/** The messages of the robot link, version 1 (docs/robot-link.md): types, and the parser for messages of the service. */

export type Fields = Record<string, unknown>;

export interface Hello {
  t: 'hello';
  v: number[];
  model: string;
  firmware: string;
  boot_id: string;
  dial: number;
  reason: DialReason;
  boot?: Boot;
  screen?: ScreenShape;
  audio?: AudioShape;
  leds?: { count: number };
  features: string[];
  showing: { card: string | null; question: string | null; emotion: string; view: string };
  playing?: { stream: number; id: string; received: number };
  commands: { name: string; description: string; class: string; args: Fields }[];
}
export type DialReason = 'start' | 'restart' | 'reconnect';
/** `cause`: power_on, reset, watchdog, crash, brownout, update, wake or other. */
export interface Boot {
  cause: string;
  error?: string;
}
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export interface ScreenShape {
  w: number;
  h: number;
  formats: string[];
  max_bytes: number;
}
export interface AudioShape {
  formats: string[];
  rates: number[];
  buffer_bytes: number;
  max_part_bytes: number;
}

export interface Welcome {
  t: 'welcome';
  v: number;
  session: string;
  time_ms: number;
  sensors_ms: number;
  ping_ms: number;
  in_ack: number;
  update?: ProgramOffer;
}
export interface ProgramOffer {
  version: string;
  /** Path on the host of the link. */
  url: string;
  /** Hexadecimal. */
  sha256: string;
  size: number;
}
export interface Cmd {
  t: 'cmd';
  id: string;
  name: string;
  args: Fields;
  ttl_ms: number;
}
export type CmdRead = Omit<Cmd, 'args' | 'ttl_ms'> & { args?: Fields; ttl_ms?: number };
export type NackCode = 'bad_args' | 'unknown' | 'busy' | 'card_showing' | 'hardware';
export type Ack = { t: 'ack'; id: string; ms: number } & ({ ok: true; result: Fields } | { ok: false; code: NackCode; error: string });
export type Input = { t: 'in'; seq: number; ms: number; kind: string } & Fields;

export type ToRobot = Welcome | CmdRead | { t: 'in_ack'; seq: number } | { t: 'ping' } | { t: 'pong' } | { t: 'unknown' };

export const textBytesMax = 16_384;

const shapes: Record<string, Record<string, (value: unknown) => boolean>> = {
  welcome: {
    v: isCount,
    session: isText,
    time_ms: isNumber,
    sensors_ms: isPositive,
    ping_ms: isPositive,
    in_ack: isCount,
    update: (value) => value === undefined || isOffer(value),
  },
  cmd: {
    id: isText,
    name: isText,
    args: (value) => value === undefined || isFields(value),
    ttl_ms: (value) => value === undefined || isPositive(value),
  },
  in_ack: { seq: isCount },
  ping: {},
  pong: {},
};

/** A `t` of a later version is `unknown`. */
export function readMessage(text: string): ToRobot | { t: 'malformed'; problem: string } {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { t: 'malformed', problem: `not JSON: ${text.slice(0, 60)}` };
  }
  if (!isFields(message) || typeof message['t'] !== 'string') return { t: 'malformed', problem: `no object with a field t: ${text.slice(0, 60)}` };
  const shape = Object.hasOwn(shapes, message['t']) ? shapes[message['t']] : undefined;
  if (!shape) return { t: 'unknown' };
  for (const [field, fits] of Object.entries(shape)) {
    if (!fits(message[field])) return { t: 'malformed', problem: `${message['t']}.${field} is ${JSON.stringify(message[field])?.slice(0, 60)}` };
  }
  return message as unknown as ToRobot;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function isOffer(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { version, url, sha256, size } = value;
  return isText(version) && typeof url === 'string' && url.startsWith('/') && /^[0-9a-f]{64}$/.test(String(sha256)) && isPositive(size);
}
function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}
function isPositive(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}
function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}
