/** Draws texts into their boxes: picks the fonts, fits, and writes line by line in the text's own direction. */
import type { TextBox } from '@perch/screen';
import type { SKRSContext2D } from 'canvas';
import { fitText, type FittedText } from './fit-text.js';
import { familiesFor, withoutUnknownMarks } from './fonts.js';

/** Widths are measured once at this size and scaled. */
const measuredAt = 64;

/** Accents may rise over a box of one line; heaps of marks may not run over the screen. */
const overhang = 3;

/** A text with its fonts and its final size. */
interface SetText {
  box: TextBox;
  families: string;
  fitted: FittedText;
}

/** Below this no text is made smaller for the sake of its group. */
const groupMin = 20;

/** Draws texts in their boxes, those of a group at one size. Never draws further than 3 px outside a box, whatever the text. */
export function drawTexts(context: SKRSContext2D, boxes: readonly TextBox[]): void {
  const own = boxes.map((box) => setText(context, box));
  for (const text of own) {
    const alike = own.filter((other) => other.box.group !== undefined && other.box.group === text.box.group);
    const shared = Math.max(groupMin, Math.min(...alike.map((other) => other.fitted.size)));
    drawText(context, shared < text.fitted.size ? setText(context, { ...text.box, sizeMax: shared }) : text);
  }
}

function setText(context: SKRSContext2D, given: TextBox): SetText {
  const box = { ...given, text: withoutUnknownMarks(given.text) };
  const families = familiesFor(`${box.text}…`);
  prepare(context, box, measuredAt, families);
  return { box, families, fitted: fitText(box, (text) => context.measureText(text).width / measuredAt) };
}

function drawText(context: SKRSContext2D, { box, families, fitted }: SetText): void {
  context.save();
  context.beginPath();
  context.rect(box.x - overhang, box.y - overhang, box.w + 2 * overhang, box.h + 2 * overhang);
  context.clip();
  prepare(context, box, fitted.size, families);
  context.fillStyle = box.color;
  context.textBaseline = 'alphabetic';
  context.textAlign = box.align === 'center' ? 'center' : 'start';
  const x = box.align === 'center' ? box.x + box.w / 2 : context.direction === 'rtl' ? box.x + box.w : box.x;
  for (const line of fitted.lines) context.fillText(line.text, x, line.baseline);
  context.restore();
}

function prepare(context: SKRSContext2D, box: TextBox, size: number, families: string): void {
  // The default follows the language of the host.
  context.lang = 'en';
  context.direction = isRightToLeft(box.text) ? 'rtl' : 'ltr';
  context.font = `${box.weight} ${size}px ${families}`;
}

/** By the first letter that has a direction, as the Unicode bidirectional algorithm does. */
function isRightToLeft(text: string): boolean {
  const first = /\p{L}/u.exec(text)?.[0] ?? '';
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(first);
}
