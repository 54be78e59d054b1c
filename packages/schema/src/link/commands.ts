/** The table of commands in robot-link.md. */
import { Type } from 'typebox';
import type { Static, TSchema } from 'typebox';
import { emotions, views } from '../actions/face.js';
import { ledEffects } from '../actions/leds.js';
import { gestures } from '../actions/move.js';
import { limits } from '../base/limits.js';
import { oneOf, openObject } from '../base/open-object.js';
import type { Feature } from '../values/features.js';
import { count, linkMessage, shortText, streamNumber } from './fields.js';

const color = () => Type.String({ pattern: '^#[0-9a-f]{6}$' });
const layer = () => oneOf(['card', 'question']);
const layerId = () => Type.String({ minLength: 1, maxLength: limits.link.layerIdCharsMax });
const picture = {
  stream: streamNumber(),
  format: Type.String(),
  bytes: count(),
  crc32: Type.Integer({ minimum: 0, maximum: 0xffff_ffff, description: 'IEEE, unsigned.' }),
};
const volume = () => Type.Number({ minimum: limits.sound.volumeMin, maximum: limits.sound.volumeMax });

interface LinkCommand {
  feature: Feature | null;
  description: string;
  args: TSchema;
}

export const robotCommands = {
  'screen.show': {
    feature: 'screen',
    description: 'Shows a picture on a layer; the picture follows as binary parts; acked once it is on the screen.',
    args: Type.Object({
      layer: layer(),
      id: layerId(),
      ...picture,
      show_ms: Type.Optional(Type.Number({ exclusiveMinimum: 0, description: 'Required for a question, which the robot removes after this time.' })),
    }),
  },
  'screen.clear': {
    feature: 'screen',
    description: 'Clears a layer; with an id, only if that picture is showing.',
    args: Type.Object({ layer: layer(), id: Type.Optional(layerId()) }),
  },
  bubble: {
    feature: 'bubble',
    description: 'A speech bubble. A robot with the feature bubble_picture also receives the text as a picture.',
    args: Type.Object({
      text: Type.String(),
      seconds: Type.Number({ exclusiveMinimum: 0 }),
      stream: Type.Optional(picture.stream),
      format: Type.Optional(picture.format),
      bytes: Type.Optional(picture.bytes),
      crc32: Type.Optional(picture.crc32),
      w: Type.Optional(count()),
      h: Type.Optional(count()),
    }),
  },
  face: {
    feature: 'face',
    description: "The face's emotion and the robot's own screen.",
    args: Type.Object({ emotion: Type.Optional(oneOf(emotions)), view: Type.Optional(oneOf(views)) }),
  },
  'head.move': {
    feature: 'head',
    description: 'Degrees; the robot clamps; acked when accepted, with the clamped target.',
    args: Type.Object({
      yaw: Type.Optional(Type.Number({ description: "Positive to the robot's left." })),
      pitch: Type.Optional(Type.Number({ description: 'Up.' })),
      duration_ms: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 10_000,
          description: 'How long the movement should take; only for a robot with the feature move_duration.',
        }),
      ),
    }),
  },
  'head.gesture': { feature: 'head', description: 'A ready-made movement.', args: Type.Object({ name: oneOf(gestures) }) },
  'leds.set': {
    feature: 'leds',
    description: 'All pixels, already colour-corrected: left strip 0-5 from the screen end back, right strip 6-11 from the back to the screen end.',
    args: Type.Object({ pixels: Type.Array(color(), { minItems: limits.leds.count, maxItems: limits.leds.count }) }),
  },
  'leds.effect': {
    feature: 'leds',
    description: 'An animation the robot runs; seconds 0 is until the next leds command; after it ends the last leds.set returns.',
    args: Type.Object({
      name: oneOf(ledEffects),
      color: Type.Optional(color()),
      palette: Type.Optional(Type.Array(color(), { minItems: 6, maxItems: 6, description: 'For rainbow.' })),
      speed: Type.Number({ minimum: limits.leds.speedMin, maximum: limits.leds.speedMax }),
      seconds: Type.Number({ minimum: 0 }),
    }),
  },
  'audio.play': {
    feature: 'speaker',
    description:
      'A sound, which follows as binary parts under flow control; acked at the first sample. A new play replaces the old. ' +
      'Without bytes, which is sent only to a robot with the feature open_sound, the part with the flag last ends the sound.',
    args: Type.Object({
      stream: streamNumber(),
      id: shortText(),
      format: Type.String(),
      rate: Type.Integer({ minimum: 1 }),
      bytes: Type.Optional(count()),
      volume: Type.Optional(volume()),
    }),
  },
  'audio.stop': { feature: 'speaker', description: 'Ends the sound.', args: Type.Object({}) },
  'audio.volume': { feature: 'speaker', description: 'Sets the volume.', args: Type.Object({ pct: volume() }) },
  robot: {
    feature: null,
    description: "One of the robot's own commands.",
    args: Type.Object({ command: Type.String({ minLength: 1 }), args: openObject() }),
  },
  update: {
    feature: null,
    description:
      'Installs the version of the robot program that the welcome offered; sent only to a robot that was offered one, while no question waits. Acked ' +
      'when the download begins; the robot then starts again, or sends update_failed.',
    args: Type.Object({ version: shortText() }),
  },
} as const satisfies Record<string, LinkCommand>;

export type RobotCommandName = keyof typeof robotCommands;

export const robotCommandNames = Object.keys(robotCommands) as RobotCommandName[];

export const CmdSchema = linkMessage(
  'cmd',
  {
    id: shortText(),
    name: Type.String({ minLength: 1 }),
    args: openObject(),
    ttl_ms: Type.Number({ exclusiveMinimum: 0, description: 'The robot drops a command that it has not begun within this time.' }),
  },
  'A command; the robot replies with an ack.',
);
export type Cmd = Static<typeof CmdSchema>;
