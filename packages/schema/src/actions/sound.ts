import { Type } from 'typebox';
import type { Picker } from '../base/argument-form.js';
import { chimeNames } from '../values/chime-names.js';
import { limits } from '../base/limits.js';
import { oneOf } from '../base/open-object.js';
import { answerObject, argsObject, defineAction, nothingToDo } from '../definition/action.js';

export const SilencedSchema = Type.Optional(
  oneOf(['quiet_hours'], { description: 'Why nothing was played. quiet_hours: the owner of the robot chose hours in which it makes no sound.' }),
);

const { volumeMin, volumeMax } = limits.sound;

const needsOneOf = ['chime', 'notes', 'volume'];

export const sound = defineAction({
  name: 'sound',
  group: 'body',
  summary: 'Play a chime or a melody, or set the volume.',
  description:
    'Send chime or notes, with or without volume, or volume alone; chime and notes exclude each other, and bell requires notes. ' +
    'The response is sent as soon as the sound starts and says how long it plays. A second sound replaces the one that is playing. ' +
    'In the quiet hours of the robot, nothing is played and silenced says so; volume is at most the volume_max of the robot (robot_state shows both).',
  args: argsObject({
    chime: Type.Optional(oneOf(chimeNames, { 'x-picker': 'chime' satisfies Picker, description: 'Ready-made sound.' })),
    notes: Type.Optional(
      Type.String({
        examples: ['C4:200 E4:200 -:100 G4:400'],
        minLength: 1,
        description:
          'Melody: <note>:<ms> entries separated by spaces, 30 s in total. A note is a letter A to G, an optional # or b and an octave 0..8 (C4 is middle C), or - for a rest: "C4:200 E4:200 -:100 G4:400". Or a tune in RTTTL, the text format of ring tones: "Scale:d=8,o=4,b=120:c,d,e,f,g,a,b,2c5".',
      }),
    ),
    bell: Type.Optional(Type.Boolean({ description: 'Play the notes like a struck bell. Requires notes.' })),
    volume: Type.Optional(
      Type.Number({ minimum: volumeMin, maximum: volumeMax, description: `Speaker volume, ${volumeMin}..${volumeMax}; applied first and kept.` }),
    ),
  }),
  form: { usual: ['chime', 'volume', 'notes', 'bell'] },
  needsOneOf,
  answer: answerObject({
    seconds: Type.Number({ minimum: 0, description: 'How long the sound plays; 0 if only the volume was set, or if the sound was silenced.' }),
    replaced: Type.Boolean({ description: 'Another sound replaced this one before it began.' }),
    silenced: SilencedSchema,
  }),
  features: ['speaker'],
  rules({ chime, notes, bell, volume }) {
    if (chime !== undefined && notes !== undefined) return { field: 'chime', message: 'cannot be combined with notes; send one or the other' };
    if (bell === true && notes === undefined) return { field: 'bell', message: 'requires notes; add notes or remove bell' };
    if (chime === undefined && notes === undefined && volume === undefined) return nothingToDo(...needsOneOf);
    return null;
  },
  examples: [
    { args: { chime: 'tada', volume: 60 }, answer: { ok: true, seconds: 1.2, replaced: false } },
    { args: { notes: 'C4:200 E4:200 -:100 G4:400', bell: true }, answer: { ok: true, seconds: 0.9, replaced: false } },
  ],
});
