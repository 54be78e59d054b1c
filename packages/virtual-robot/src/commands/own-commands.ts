import { boolArg, badArgs, choiceArg, integerArg, numberArg, optional, textArg } from './args.js';
import type { Picture } from '../body/incoming-media.js';
import type { Fields } from '../connection/messages.js';
import { pictureSize } from '../body/picture-size.js';

export interface OwnCommand {
  name: string;
  description: string;
  /** Only `program` commands may be passed on. */
  class: string;
  args: Fields;
  /** An argument declared as a picture is a {@link Picture}. If unset, the result is `{}`. @throws {Nack} to reject the command */
  run?(args: Fields, own: OwnState): Fields | void;
}

export interface Sticker {
  id: string;
  x: number;
  y: number;
  w: number;
  h: number;
  tappable: boolean;
  picture: Picture | null;
}

export interface OwnState {
  brightness: number;
  screenOn: boolean;
  powerLed: boolean;
  irSent: { address: number; command: number }[];
  stickers: Map<string, Sticker>;
}

const stickersMax = 16;
const irSentKept = 100;

export function newOwnState(): OwnState {
  return { brightness: 80, screenOn: true, powerLed: true, irSent: [], stickers: new Map() };
}

/** The last sticker placed is on top. A sticker ends before x + w and y + h, as rectangles of a clickmap do. */
export function stickerAt(stickers: Iterable<Sticker>, x: number, y: number): Sticker | null {
  let hit: Sticker | null = null;
  for (const sticker of stickers) {
    const inside = x >= sticker.x && x < sticker.x + sticker.w && y >= sticker.y && y < sticker.y + sticker.h;
    if (sticker.tappable && inside) hit = sticker;
  }
  return hit;
}

/** Robots reject these from programs, whatever their declared class. */
export function isExcluded(name: string): boolean {
  return /^(?:app_.*|restart|power_off|factory_reset|firmware_.*|.*_stream|camera_.*|mic_.*|wifi_.*|server_.*|pair_.*)$/.test(name);
}

export function pictureArgs(command: OwnCommand): string[] {
  const properties = (command.args['properties'] ?? {}) as Record<string, Fields>;
  return Object.keys(properties).filter((name) => {
    const { contentEncoding, contentMediaType } = properties[name] as Fields;
    return contentEncoding === 'base64' && typeof contentMediaType === 'string' && contentMediaType.startsWith('image/');
  });
}

export const defaultCommands: readonly OwnCommand[] = [
  {
    name: 'sticker',
    description: 'A small picture on the face; a tap on it reports its id. Without image it moves, with remove it goes.',
    class: 'program',
    args: object(
      {
        id: { type: 'string', minLength: 1, maxLength: 32 },
        image: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/*', 'x-max-w': 96, 'x-max-h': 96 },
        x: { type: 'integer', minimum: -96, maximum: 320 },
        y: { type: 'integer', minimum: -96, maximum: 240 },
        tappable: { type: 'boolean' },
        remove: { type: 'boolean' },
      },
      ['id'],
    ),
    run: placeSticker,
  },
  {
    name: 'brightness',
    description: 'Screen brightness',
    class: 'program',
    args: object({ pct: { type: 'integer', minimum: 0, maximum: 100 } }, ['pct']),
    run(args, own) {
      own.brightness = integerArg(args, 'pct', 0, 100);
    },
  },
  {
    name: 'screen',
    description: 'The screen on or off',
    class: 'program',
    args: object({ on: { type: 'boolean' } }, ['on']),
    run(args, own) {
      own.screenOn = boolArg(args, 'on');
    },
  },
  {
    name: 'power_led',
    description: 'The red power LED on or off',
    class: 'program',
    args: object({ on: { type: 'boolean' } }, ['on']),
    run(args, own) {
      own.powerLed = boolArg(args, 'on');
    },
  },
  {
    name: 'ir_send',
    description: 'Sends an infrared remote code',
    class: 'program',
    args: object(
      {
        protocol: { type: 'string', enum: ['nec'] },
        address: { type: 'integer', minimum: 0, maximum: 65535 },
        command: { type: 'integer', minimum: 0, maximum: 255 },
      },
      ['address', 'command'],
    ),
    run(args, own) {
      optional(args, 'protocol', () => choiceArg(args, 'protocol', ['nec']));
      own.irSent.push({ address: integerArg(args, 'address', 0, 0xffff), command: integerArg(args, 'command', 0, 0xff) });
      if (own.irSent.length > irSentKept) own.irSent.shift();
      return { sent: true };
    },
  },
  { name: 'restart', description: 'Restarts the robot', class: 'system', args: object({}) },
  { name: 'app_start', description: 'Switches to another app', class: 'system', args: object({ app: { type: 'string' } }, ['app']) },
  { name: 'settings_read', description: 'What its manager set', class: 'system', args: object({}) },
  { name: 'camera_stream', description: 'Turns the camera on', class: 'program', args: object({ on: { type: 'boolean' } }) },
  { name: 'mic_stream', description: 'Turns the microphone on', class: 'program', args: object({ on: { type: 'boolean' } }) },
  { name: 'wifi_set', description: 'Joins another network', class: 'manager', args: object({ ssid: { type: 'string' } }) },
];

function placeSticker(args: Fields, own: OwnState): Fields {
  const id = textArg(args, 'id', 32);
  const old = own.stickers.get(id);
  if (optional(args, 'remove', () => boolArg(args, 'remove'))) return { removed: own.stickers.delete(id) };
  const picture = (args['image'] as Picture | undefined) ?? old?.picture ?? null;
  if (!old && own.stickers.size >= stickersMax) throw badArgs(`id: at most ${stickersMax} stickers`);
  const size = (picture && pictureSize(picture.picture)) ?? { w: 64, h: 64 };
  own.stickers.delete(id);
  own.stickers.set(id, {
    id,
    x: optional(args, 'x', () => numberArg(args, 'x', -96, 320)) ?? old?.x ?? 0,
    y: optional(args, 'y', () => numberArg(args, 'y', -96, 240)) ?? old?.y ?? 0,
    ...size,
    tappable: optional(args, 'tappable', () => boolArg(args, 'tappable')) ?? old?.tappable ?? false,
    picture,
  });
  return {};
}

function object(properties: Fields, required: string[] = []): Fields {
  return { type: 'object', properties, required, additionalProperties: false };
}
