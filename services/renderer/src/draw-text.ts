/** Draws texts into their boxes: selects fonts, fits the text, and writes it line by line in its own direction. */
import type { TextBox } from '@perch/screen';
import type { SKRSContext2D } from 'canvas';
import { fitText, type FittedText } from './fit-text.js';
import { familiesFor, withoutUnknownMarks } from './fonts.js';

/** Font size at which widths are measured once, to be scaled. */
const measuredAt = 64;

/** Pixels a text may extend beyond its box: accents may rise above a box of one line, but stacked marks must not cover the screen. */
const overhang = 3;

interface SetText {
  box: TextBox;
  families: string;
  fitted: FittedText;
}

/** Minimum size to which a text is reduced to match its group. */
const groupMin = 20;

/** Draws texts in their boxes; the texts of a group get the same size. Never draws more than 3 px outside a box, whatever the text. */
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

/** Decides by the first letter with a direction, as the Unicode bidirectional algorithm does. */
function isRightToLeft(text: string): boolean {
  const first = /\p{L}/u.exec(text)?.[0] ?? '';
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(first);
}
