import { Type } from 'typebox';
import { colorSchema } from '../values/color-schema.js';
import { pictureProblem, pictureSchema } from '../values/picture.js';
import { answerObject, argsObject, defineAction, nothingToDo } from './action.js';

const needsOneOf = ['text', 'title', 'note', 'progress', 'background', 'image', 'clear'];

export const show = defineAction({
  name: 'show',
  group: 'screen',
  summary: 'Show a card or a picture on the screen, or take it away.',
  description:
    'Send at least one of text, title, note, progress, background, image or clear; color alone shows nothing. A new card replaces the last one. ' +
    'With image, background fills the area around the picture; text, title, note, progress and color are then ignored, and the response lists them in "ignored". ' +
    'clear must be sent alone. While a question is showing, the card beneath it changes.',
  args: argsObject({
    text: Type.Optional(Type.String({ description: 'Big text in the middle; sizes itself.' })),
    title: Type.Optional(Type.String({ description: 'Small text at the top, in the colour.' })),
    note: Type.Optional(Type.String({ description: 'Small text at the bottom.' })),
    color: Type.Optional(colorSchema('Colour of text, title and bar; default white text, blue title.')),
    background: Type.Optional(colorSchema('Default dark blue.')),
    progress: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Progress bar, 0..1.' })),
    image: Type.Optional(pictureSchema('Used instead of a card, fitted to 320x240.')),
    clear: Type.Optional(Type.Boolean({ description: 'Take the card or picture away. false counts as absent.' })),
  }),
  needsOneOf,
  answer: answerObject({
    ignored: Type.Optional(Type.Array(Type.String(), { description: 'Arguments ignored because of the picture; absent if there are none.' })),
  }),
  effect: { idempotent: true },
  features: ['screen'],
  falseIsAbsent: ['clear'],
  rules(args) {
    const { clear, color, ...content } = args;
    const shown = Object.keys(content);
    if (clear !== undefined) {
      const other = shown[0] ?? (color === undefined ? undefined : 'color');
      return other === undefined
        ? null
        : { field: 'clear', message: `takes the card away and cannot be combined with ${other}; send one or the other` };
    }
    if (shown.length > 0) return args.image === undefined ? null : pictureProblem('image', args.image);
    if (color !== undefined) return { field: 'color', message: 'shows nothing alone; add text, title, note, progress, background or image' };
    return nothingToDo(...needsOneOf);
  },
  examples: [
    { args: { title: 'Build', text: '42 %', note: '3 min left', progress: 0.42, color: 'green' }, answer: { ok: true } },
    { args: { clear: true }, answer: { ok: true } },
  ],
});
