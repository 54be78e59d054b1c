import { Type } from 'typebox';
import { limits } from '../base/limits.js';
import { oneOf, type Problem } from '../base/open-object.js';
import { colorSchema } from '../values/color-schema.js';
import { CountdownSchema, countdownProblem, type CountdownArgs } from '../values/countdown.js';
import { iconProblem, iconSchema } from '../values/icon.js';
import { hasInk, withoutInk } from '../values/ink.js';
import { LangSchema } from '../values/lang.js';
import { pictureProblem, pictureSchema } from '../values/picture.js';
import { pictureNotesFields } from '../values/picture-notes.js';
import { answerObject, argsObject, defineAction, nothingToDo } from '../definition/action.js';
import { ForSchema, queueArgs, queueFields, queueProblem } from '../definition/wait.js';

const needsOneOf = ['text', 'title', 'note', 'icon', 'qr', 'sparkline', 'countdown', 'progress', 'background', 'image', 'clear'];

const { qrBytesMax, qrBytesMaxBeside, sparklineMin, sparklineMax, pagesMax } = limits.show;

export const alignments = ['left', 'center', 'right'] as const;
export const overflows = ['cut', 'pages'] as const;
export const formats = ['plain', 'markdown'] as const;

export const show = defineAction({
  name: 'show',
  group: 'screen',
  summary: 'Show a card or a picture on the screen, or take it away.',
  description:
    'Send at least one of text, title, note, icon, qr, sparkline, countdown, progress, background, image or clear; color, align, format, mono, overflow or lang alone show nothing, nor do a title and a note without a visible character. A new card replaces the last one. ' +
    'With image, background fills the area around the picture; all other arguments are then ignored, and the response lists them in "ignored". ' +
    'qr cannot be combined with sparkline, countdown or progress, countdown not with sparkline, mono and pages not with Markdown, pages not with countdown. clear must be sent alone. While a question is showing, the card beneath it changes. ' +
    'With queue the response is sent at once, with the place in the queue; the card is drawn when its turn comes.',
  args: argsObject({
    text: Type.Optional(Type.String({ examples: ['21 °C'], description: 'Big text in the middle; sizes itself. Needs a visible character.' })),
    title: Type.Optional(Type.String({ examples: ['Outside'], description: 'Small text at the top, in the colour.' })),
    note: Type.Optional(Type.String({ examples: ['Sunny until six'], description: 'Small text at the bottom.' })),
    icon: Type.Optional(iconSchema('Shown above the text or at its left, in its colour.')),
    qr: Type.Optional(
      Type.String({
        examples: ['https://example.org'],
        minLength: 1,
        maxLength: qrBytesMax,
        description: `Text or address of a QR code, black on white: at most ${qrBytesMax} bytes alone, ${qrBytesMaxBeside} with title, text, note or icon. A text stands beside it.`,
      }),
    ),
    sparkline: Type.Optional(
      Type.Array(Type.Union([Type.Number(), Type.Null()]), {
        examples: [[310, 420, null, 380, 960, 1240]],
        minItems: sparklineMin,
        maxItems: sparklineMax,
        description: `${sparklineMin} to ${sparklineMax} numbers, drawn as a line below the text, from the lowest at its bottom to the highest at its top; null leaves a gap.`,
      }),
    ),
    countdown: Type.Optional(CountdownSchema),
    align: Type.Optional(
      oneOf(alignments, {
        description:
          'Side to which the lines of text, title and note are aligned; default center, and the start of the line for text in the monospace font or in Markdown.',
      }),
    ),
    format: Type.Optional(
      oneOf(formats, {
        description:
          'How text is written; default plain. markdown: bold, lists, code and tables of up to five rows are drawn; of anything else, such as links, its text.',
      }),
    ),
    mono: Type.Optional(Type.Boolean({ description: 'Text in a monospace font, with its spaces kept. false counts as absent.' })),
    color: Type.Optional(colorSchema('Colour of text, title, icon, line and bar; default white text, blue title.')),
    background: Type.Optional(colorSchema('Default dark blue.')),
    progress: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Progress bar, 0..1.' })),
    image: Type.Optional(pictureSchema('Used instead of a card, fitted to 320x240.')),
    overflow: Type.Optional(
      oneOf(overflows, {
        description: `What happens to a text that does not fit; default cut, with an ellipsis. pages: the service turns up to ${pagesMax} pages, each for 3 to 12 s by its length, from the first one again, until another card or picture is shown or the card is taken away.`,
      }),
    ),
    lang: Type.Optional(LangSchema),
    clear: Type.Optional(Type.Boolean({ description: 'Take the card or picture away. false counts as absent.' })),
    ...queueArgs,
    for_s: Type.Optional(ForSchema),
  }),
  form: {
    usual: ['text', 'title', 'icon', 'image'],
    more: {
      Card: ['note', 'color', 'background', 'progress', 'countdown', 'sparkline', 'qr'],
      Text: ['align', 'format', 'mono', 'overflow', 'lang'],
      Queue: ['queue', 'priority', 'expires_s', 'for_s'],
      'Take away': ['clear'],
    },
  },
  needsOneOf,
  answer: answerObject({
    ignored: Type.Optional(Type.Array(Type.String(), { description: 'Arguments ignored because of the picture; absent if there are none.' })),
    ...pictureNotesFields,
    ...queueFields,
  }),
  effect: { idempotent: true },
  features: ['screen'],
  falseIsAbsent: ['clear', 'mono', 'queue'],
  rules(args) {
    const misplaced = queueProblem(args, false);
    if (misplaced !== null) return misplaced;
    const { clear, queue: _queue, priority: _priority, expires_s: _expires, for_s: _for, ...rest } = args;
    const sent = Object.keys(rest);
    const shown = sent.filter((name) => needsOneOf.includes(name));
    if (clear !== undefined) {
      const other = shown[0] ?? sent[0];
      return other === undefined
        ? null
        : { field: 'clear', message: `takes the card away and cannot be combined with ${other}; send one or the other` };
    }
    if (args.mono !== undefined && args.format === 'markdown')
      return { field: 'mono', message: 'cannot be combined with markdown; write code between backticks' };
    if (args.overflow === 'pages' && args.format === 'markdown')
      return { field: 'overflow', message: 'pages cannot be combined with markdown; send plain text' };
    if (shown.length > 0) return contentProblem(args, shown) ?? (args.image === undefined ? null : pictureProblem('image', args.image));
    const [style] = sent;
    if (style === undefined) return nothingToDo(...needsOneOf);
    return {
      field: style,
      message: `shows nothing alone; add ${style === 'color' ? 'text, title, note, icon, sparkline, countdown, progress, background or image' : 'text, title or note'}`,
    };
  },
  examples: [
    { args: { title: 'Build', text: '42 %', note: '3 min left', progress: 0.42, color: 'green' }, answer: { ok: true } },
    { args: { icon: 'cloud-sun', text: '21 °C', note: 'Sunny until six' }, answer: { ok: true } },
    { args: { title: 'Guest network', qr: 'WIFI:S:Guests;T:WPA;P:welcome;;', note: 'Scan to connect' }, answer: { ok: true } },
    { args: { title: 'Requests', text: '1,240', sparkline: [310, 420, null, 380, 960, 1240] }, answer: { ok: true } },
    { args: { title: 'Tea', countdown: { seconds: 240, done: 'Ready' } }, answer: { ok: true } },
    { args: { text: 'Deploy **done**\n- 12 tests\n- `v1.4.0`', format: 'markdown' }, answer: { ok: true } },
    { args: { text: 'Build passed', queue: true, priority: 3, for_s: 20 }, answer: { ok: true, queued: true, place: 2 } },
    { args: { clear: true }, answer: { ok: true } },
  ],
});

type Content = Partial<Record<'text' | 'title' | 'note' | 'icon' | 'qr' | 'image', string>> & {
  sparkline?: (number | null)[];
  progress?: number;
  countdown?: CountdownArgs;
  overflow?: string;
};

function contentProblem(args: Content, shown: readonly string[]): Problem | null {
  const ofIcon = args.icon === undefined ? null : iconProblem('icon', args.icon);
  return inkProblem(args, shown) ?? ofIcon ?? qrProblem(args) ?? sparklineProblem(args) ?? timeProblem(args);
}

/** An empty title or note is a part that the card does not have; alone they would show nothing. */
function inkProblem({ text, title = '', note = '' }: Content, shown: readonly string[]): Problem | null {
  if (text !== undefined && !hasInk(text)) return { field: 'text', message: withoutInk };
  const onlySmall = shown.every((name) => name === 'title' || name === 'note');
  return !onlySmall || hasInk(title) || hasInk(note) ? null : { field: shown[0]!, message: withoutInk };
}

function qrProblem(args: Content): Problem | null {
  if (args.qr === undefined || args.image !== undefined) return null;
  if (/\p{Surrogate}/u.test(args.qr)) return { field: 'qr', message: 'has half of a character (a lone surrogate), which UTF-8 cannot express' };
  const other = (['sparkline', 'countdown', 'progress'] as const).find((name) => args[name] !== undefined);
  if (other !== undefined) return { field: 'qr', message: `cannot be combined with ${other}` };
  const isAlone = (['title', 'text', 'note', 'icon'] as const).every((name) => args[name] === undefined);
  const bytesMax = isAlone ? qrBytesMax : qrBytesMaxBeside;
  const bytes = new TextEncoder().encode(args.qr).length;
  if (bytes <= bytesMax) return null;
  return { field: 'qr', message: `at most ${bytesMax} bytes ${isAlone ? 'alone' : 'beside title, text, note or icon'}, not ${bytes}` };
}

function sparklineProblem({ sparkline }: Content): Problem | null {
  if (sparkline === undefined || sparkline.some((number) => number !== null)) return null;
  return { field: 'sparkline', message: 'needs at least one number; it has only null' };
}

function timeProblem({ countdown, sparkline, overflow, image }: Content): Problem | null {
  if (countdown === undefined) return null;
  if (overflow === 'pages' && image === undefined) return { field: 'overflow', message: 'pages cannot be combined with countdown' };
  if (sparkline !== undefined && image === undefined) return { field: 'countdown', message: 'cannot be combined with sparkline' };
  return countdownProblem(countdown);
}
