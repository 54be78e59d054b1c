/** Arguments are checked, and media expected, on receipt; commands are executed in order. */

import { choiceArg, colorArg, badArgs, integerArg, Nack, numberArg, optional, textArg } from './args.js';
import type { Timers } from '../clock.js';
import { Later, type Prepared } from './command-queue.js';
import { type Face, emotions, views } from '../body/face.js';
import type { FaultSettings } from '../connection/faults.js';
import { gestures, type Head } from '../body/head.js';
import { type IncomingMedia, IncomingPicture, readAnnouncedPicture, type Picture } from '../body/incoming-media.js';
import { effects, type Leds } from '../body/leds.js';
import type { Light } from '../body/light.js';
import { isFields, type AudioShape, type Fields, type ScreenShape } from '../connection/messages.js';
import { isExcluded, pictureArgs, type OwnCommand, type OwnState } from './own-commands.js';
import type { Screen } from '../body/screen.js';
import type { Speaker } from '../body/speaker.js';
import type { Updates } from '../updates.js';

export interface Parts {
  screen: Screen;
  face: Face;
  head: Head;
  leds: Leds;
  speaker: Speaker;
  media: IncomingMedia;
  light: Light;
  own: OwnState;
  ownCommands: readonly OwnCommand[];
  features: readonly string[];
  shape: { screen: ScreenShape; audio: AudioShape; leds: { count: number } };
  timers: Timers;
  faults: FaultSettings;
  updates: Pick<Updates, 'begin' | 'firmware'>;
}

type Command = { feature: string | null; prepare(args: Fields, parts: Parts): Prepared };

const pictureWaitMs = 10_000;

export function prepareCommand(name: string, args: Fields, parts: Parts): Prepared {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (!command) throw new Nack('unknown', `no command ${name}`);
    if (command.feature && !parts.features.includes(command.feature)) throw new Nack('unknown', `${name}: this robot has no ${command.feature}`);
    return command.prepare(args, parts);
  } catch (error) {
    parts.media.refuse(args['stream']);
    throw error;
  }
}

const commands: Record<string, Command> = {
  'screen.show': {
    feature: 'screen',
    prepare(args, parts) {
      const layer = choiceArg(args, 'layer', ['card', 'question']);
      const id = textArg(args, 'id', 64);
      if (layer === 'question' && args['show_ms'] === undefined) throw badArgs('show_ms: a question needs it');
      const showMs = optional(args, 'show_ms', () => numberArg(args, 'show_ms', 1, 90_000_000));
      return withPicture(args, parts, (picture) => {
        parts.screen.show(layer, id, picture, showMs);
        return {};
      });
    },
  },
  'screen.clear': {
    feature: 'screen',
    prepare(args, { screen }) {
      const layer = choiceArg(args, 'layer', ['card', 'question']);
      const id = optional(args, 'id', () => textArg(args, 'id', 64));
      return { run: () => ({ cleared: screen.clear(layer, id) }) };
    },
  },
  bubble: {
    feature: 'bubble',
    prepare(args, parts) {
      const text = textArg(args, 'text', 200);
      const seconds = numberArg(args, 'seconds', 0, 3600);
      const say = (picture: Picture | null): Fields => {
        if (parts.screen.covered) throw new Nack('card_showing', 'a card or question covers the face');
        parts.face.say({ text, seconds, picture });
        return {};
      };
      if (args['stream'] === undefined) return { run: () => say(null) };
      if (!parts.features.includes('bubble_picture')) throw badArgs('stream: this robot has no bubble_picture');
      return withPicture(args, parts, say);
    },
  },
  face: {
    feature: 'face',
    prepare(args, { face }) {
      const emotion = optional(args, 'emotion', () => choiceArg(args, 'emotion', emotions));
      const view = optional(args, 'view', () => choiceArg(args, 'view', views));
      if (!emotion && !view) throw badArgs('emotion or view');
      return { run: () => face.set(emotion, view) };
    },
  },
  'head.move': {
    feature: 'head',
    prepare(args, { head, features }) {
      const yaw = optional(args, 'yaw', () => numberArg(args, 'yaw', -Number.MAX_VALUE, Number.MAX_VALUE));
      const pitch = optional(args, 'pitch', () => numberArg(args, 'pitch', -Number.MAX_VALUE, Number.MAX_VALUE));
      if (yaw === undefined && pitch === undefined) throw badArgs('yaw or pitch');
      const durationMs = optional(args, 'duration_ms', () => integerArg(args, 'duration_ms', 1, 10_000));
      if (durationMs !== undefined && !features.includes('move_duration')) throw badArgs('duration_ms: this robot has no move_duration');
      return { run: () => head.move({ yaw, pitch }, durationMs) };
    },
  },
  'head.gesture': {
    feature: 'head',
    prepare(args, { head }) {
      const name = choiceArg(args, 'name', gestures);
      return {
        run: () => {
          head.gesture(name);
          return {};
        },
      };
    },
  },
  'leds.set': {
    feature: 'leds',
    prepare(args, { leds, shape }) {
      const pixels = colors(args, 'pixels', shape.leds.count);
      return {
        run: () => {
          leds.set(pixels);
          return {};
        },
      };
    },
  },
  'leds.effect': {
    feature: 'leds',
    prepare(args, { leds }) {
      const name = choiceArg(args, 'name', effects);
      const effect = {
        name,
        color: args['color'] === undefined ? null : colorArg(args['color'], 'color'),
        palette: name === 'rainbow' ? colors(args, 'palette', 6) : null,
        speed: numberArg(args, 'speed', 0.01, 100),
        seconds: numberArg(args, 'seconds', 0, Number.MAX_VALUE),
      };
      return {
        run: () => {
          leds.run(effect);
          return {};
        },
      };
    },
  },
  'audio.play': {
    feature: 'speaker',
    prepare(args, { speaker, media, shape, features }) {
      choiceArg(args, 'format', shape.audio.formats);
      const rate = integerArg(args, 'rate', 1, 1e6);
      if (!shape.audio.rates.includes(rate)) throw badArgs(`rate: one of ${shape.audio.rates.join(', ')}`);
      const isOpen = args['bytes'] === undefined && features.includes('open_sound');
      const bytes = isOpen ? Infinity : integerArg(args, 'bytes', 2, 0xffffffff);
      if (!isOpen && bytes % 2) throw badArgs('bytes: whole samples of 2 bytes');
      const volume = optional(args, 'volume', () => numberArg(args, 'volume', 0, 100));
      const stream = integerArg(args, 'stream', 0, 0xffff);
      const sound = speaker.announced({ stream, id: textArg(args, 'id', 64), rate, bytes });
      media.expect(stream, sound);
      return {
        run: () => {
          if (volume !== undefined) speaker.volume = volume;
          speaker.play(sound);
          return new Later(
            sound.begun.then((how) => {
              if (how === 'underrun') throw new Nack('hardware', 'the sound broke off before it began');
              return how === 'begun' ? {} : { replaced: true };
            }),
          );
        },
        drop: () => media.end(stream),
      };
    },
  },
  'audio.stop': {
    feature: 'speaker',
    prepare: (_args, { speaker }) => ({
      run: () => {
        speaker.stop();
        return {};
      },
    }),
  },
  'audio.volume': {
    feature: 'speaker',
    prepare(args, { speaker }) {
      const pct = numberArg(args, 'pct', 0, 100);
      return {
        run: () => {
          speaker.volume = pct;
          return {};
        },
      };
    },
  },
  robot: {
    feature: null,
    prepare(args, parts) {
      const name = textArg(args, 'command');
      const command = parts.ownCommands.find((own) => own.name === name);
      if (!command || command.class !== 'program' || isExcluded(name)) throw new Nack('unknown', `${name} is not for programs`);
      const given = args['args'] ?? {};
      if (!isFields(given)) throw badArgs('args: an object');
      const [pictureArg, ...others] = pictureArgs(command).filter((arg) => given[arg] !== undefined);
      const run = (own: Fields): Fields => command.run?.(own, parts.own) ?? {};
      if (pictureArg === undefined) return { run: () => run(given) };
      if (others.length > 0) throw badArgs(`${others[0]}: a second picture`);
      const announced = given[pictureArg];
      if (!isFields(announced)) throw badArgs(`${pictureArg}: stream, format, bytes and crc32 of a picture`);
      return withPicture(announced, parts, (picture) => run({ ...given, [pictureArg]: picture }));
    },
  },
  update: {
    feature: null,
    prepare(args, { updates }) {
      const version = textArg(args, 'version', 64);
      return {
        run: () => {
          updates.begin(version);
          return {};
        },
      };
    },
  },
};

function withPicture(announced: Fields, parts: Parts, run: (picture: Picture) => Fields): Prepared {
  const { media, timers, faults, shape } = parts;
  const read = readAnnouncedPicture(announced, { formats: shape.screen.formats, bytesMax: shape.screen.max_bytes });
  const incoming = new IncomingPicture(read);
  media.expect(read.stream, incoming);
  return {
    run: async () => {
      const giveUp = timers.after(pictureWaitMs, () => {
        media.end(read.stream);
        incoming.fail(new Nack('hardware', `${incoming.received} of ${incoming.bytes} bytes of the picture arrived`));
      });
      const picture = await incoming.whole.finally(giveUp);
      if (faults.wrongCrc) throw new Nack('hardware', 'crc32: the picture is corrupt');
      return run(picture);
    },
    drop: () => media.end(read.stream),
  };
}

function colors(args: Fields, name: string, count: number): string[] {
  const value = args[name];
  if (!Array.isArray(value) || value.length !== count) throw badArgs(`${name}: ${count} colours`);
  return value.map((color, index) => colorArg(color, `${name}[${index}]`));
}
