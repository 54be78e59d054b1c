import { Type } from 'typebox';
import { limits } from '../base/limits.js';
import { hasInk, withoutInk } from '../values/ink.js';
import { LangSchema } from '../values/lang.js';
import { pictureNotesFields } from '../values/picture-notes.js';
import { answerObject, argsObject, defineAction } from '../definition/action.js';

const { charsMax, secondsDefault, secondsMax } = limits.say;

export const say = defineAction({
  name: 'say',
  group: 'screen',
  summary: 'Let the face say something in a speech bubble.',
  description:
    'Requires the face: while a card or picture is showing, send show with clear first. While a card or question covers the face, the response is 400 card_showing.',
  args: argsObject({
    text: Type.String({
      examples: ['Good morning!'],
      minLength: 1,
      maxLength: charsMax,
      description: `At most ${charsMax} characters (Unicode code points), one of them visible.`,
    }),
    seconds: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: secondsMax,
        default: secondsDefault,
        description: `Duration in seconds; default ${secondsDefault}, at most ${secondsMax}.`,
      }),
    ),
    lang: Type.Optional(LangSchema),
  }),
  form: { usual: ['seconds'], more: { Text: ['lang'] } },
  answer: answerObject({ ...pictureNotesFields }),
  features: ['bubble'],
  defaults: ['seconds'],
  rules: ({ text }) => (hasInk(text) ? null : { field: 'text', message: withoutInk }),
  examples: [{ args: { text: 'Good morning!', seconds: 4 }, answer: { ok: true } }],
});
