/** An action beside the interface's twelve. */
import { Type } from 'typebox';
import type { Picker } from '../base/argument-form.js';
import { limits } from '../base/limits.js';
import { langPattern } from '../values/lang.js';
import { withoutTerminalSequences } from '../base/plain-text.js';
import { pictureNotesFields } from '../values/picture-notes.js';
import { SilencedSchema } from './sound.js';
import { oneOf } from '../base/open-object.js';
import { answerObject, argsObject, defineAction } from '../definition/action.js';

const { charsMax, secondsMax, voiceCharsMax } = limits.speak;
const { volumeMin, volumeMax } = limits.sound;

export const captionProblems = ['card_showing', 'no_bubble', 'failed'] as const;

export const speak = defineAction({
  name: 'speak',
  group: 'body',
  summary: 'Speak a text aloud.',
  description:
    'The robot speaks the text, and its face shows it in a speech bubble; truncated, missing and adjusted concern the bubble alone. While a card or question covers the face, the robot speaks without the bubble, ' +
    'and caption_left_out says so. The response is sent as soon as the robot speaks. A later sound or speech replaces it; stop ends it. In the quiet hours of the robot, only the bubble is shown and silenced says so. 501 not_offered if the service has no speech engine.',
  args: argsObject({
    text: Type.String({
      minLength: 1,
      maxLength: charsMax,
      examples: ['Your tea is ready.'],
      description: `At most ${charsMax} characters (Unicode code points).`,
    }),
    voice: Type.Optional(
      Type.String({
        pattern: `^[A-Za-z0-9][A-Za-z0-9_.+-]{0,${voiceCharsMax - 1}}$`,
        description: 'Name of a voice of the service; an unknown one is refused with the names of some. Wins over lang.',
      }),
    ),
    lang: Type.Optional(
      Type.String({
        'x-picker': 'language' satisfies Picker,
        pattern: langPattern,
        maxLength: 35,
        description: 'Language of the text, BCP 47, such as de or en-GB: chooses a voice.',
      }),
    ),
    volume: Type.Optional(
      Type.Number({ minimum: volumeMin, maximum: volumeMax, description: `Speaker volume, ${volumeMin}..${volumeMax}; applied first and kept.` }),
    ),
  }),
  form: { usual: ['lang', 'voice', 'volume'] },
  answer: answerObject({
    seconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: secondsMax,
        description: 'How long the speech is; absent if it was not known when the robot began to speak.',
      }),
    ),
    replaced: Type.Boolean({ description: 'Another sound or a stop took its place before it began.' }),
    silenced: SilencedSchema,
    caption: Type.Boolean({ description: 'Whether the text is shown in a speech bubble.' }),
    caption_left_out: Type.Optional(
      oneOf(captionProblems, {
        description:
          'Why there is no bubble. card_showing: a card or question covers the face. no_bubble: the robot has none. failed: the robot did not show it.',
      }),
    ),
    ...pictureNotesFields,
  }),
  features: ['speaker'],
  rules: ({ text }) => (/[\p{L}\p{N}]/u.test(withoutTerminalSequences(text)) ? null : { field: 'text', message: 'has no letter or digit to speak' }),
  examples: [
    {
      args: { text: 'Your tea is ready.', lang: 'en-GB', volume: 60 },
      answer: { ok: true, seconds: 1.4, replaced: false, caption: true },
    },
  ],
});
