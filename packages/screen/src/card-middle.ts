/** Lays out the middle of a card, between its title and its note: an icon, a QR code, a sparkline or a countdown, and the text. */
import { countdownBox, type Countdown } from './countdown.js';
import { textEms } from './graphemes.js';
import { iconBox } from './icon-box.js';
import { qrBox } from './qr-box.js';
import type { Box, Rect, SparklineBox } from './scene.js';
import { sparklineValues } from './sparkline-values.js';
import { textBox, type TextStyle } from './text-box.js';

export interface CardMiddle {
  /** Tidied. */
  text: string;
  /** Whether the text is Markdown; `shade` is the colour behind its code. */
  markdown?: { shade: string } | undefined;
  icon?: string | undefined;
  qr?: string | undefined;
  sparkline?: readonly (number | null)[] | undefined;
  countdown?: Countdown | undefined;
  /** Style of the text; the icon has its colour and plate. */
  style: TextStyle;
  /** Colours of the sparkline. */
  line: Pick<SparklineBox, 'color' | 'shade'>;
}

const gap = 8;
/** Part of the height that a countdown takes from a text or an icon. */
const countdownShare = 0.56;
/** Maximum font size of the text above a countdown, px, which is read first. */
const besideCountdownMax = 40;
/** Width that a QR code leaves for a text beside it. */
const besideQrMin = 112;
/** Below this height, and above this length of the text, an icon stands at the left of the text. */
const iconAboveMin = 140;
const iconAboveEmsMax = 24;
/** A column beside a QR code is too narrow for an icon at the left of a text. */
const columnMax = 200;

export function middleBoxes(area: Rect, middle: CardMiddle): Box[] {
  const { text, icon, qr, sparkline, countdown, style, line } = middle;
  const isAlone = text === '' && icon === undefined;
  if (qr !== undefined) {
    const width = isAlone ? area.w : area.w - gap - besideQrMin;
    const code = qrBox(area, qr, width, isAlone);
    const x = code.x + code.w + gap;
    return [code, ...iconAndText({ ...area, x, w: area.x + area.w - x }, middle)];
  }
  if (sparkline !== undefined) {
    const h = isAlone ? Math.min(area.h, 140) : Math.min(96, Math.round(area.h * 0.42));
    const y = isAlone ? Math.round(area.y + (area.h - h) / 2) : area.y + area.h - h;
    const plate: Box[] = style.plate === undefined ? [] : [{ kind: 'fill', ...area, y, h, color: style.plate, radius: 8 }];
    const box: SparklineBox = { kind: 'sparkline', ...area, y, h, values: sparklineValues(sparkline), ...line };
    return [...plate, box, ...iconAndText({ ...area, h: area.h - h - gap }, middle)];
  }
  if (countdown !== undefined) {
    const h = isAlone ? area.h : Math.round(area.h * countdownShare);
    const box = { ...area, y: area.y + area.h - h, h };
    const above = { ...area, h: area.h - h - gap };
    return [
      ...countdownBox(box, countdown, countdownStyle(style)),
      ...(isAlone ? [] : iconAndText(above, { ...middle, style: { ...style, sizeMax: besideCountdownMax } })),
    ];
  }
  return iconAndText(area, middle);
}

function countdownStyle({ mono: _mono, name: _name, align, ...style }: TextStyle): TextStyle {
  return { ...style, align: align === 'start' || align === undefined ? 'center' : align };
}

function iconAndText(area: Rect, { text, icon: name, style, markdown }: CardMiddle): Box[] {
  const boxes: Box[] = [];
  const { icon, rest } = name === undefined ? { icon: area, rest: area } : withIcon(area, text);
  if (name !== undefined) {
    const box = iconBox(icon, name, style.color);
    if (style.plate !== undefined) boxes.push({ kind: 'fill', ...grown(box, 4), color: style.plate, radius: 8 });
    boxes.push(box);
  }
  if (text !== '') boxes.push(...(markdown === undefined ? textBox(rest, text, style) : markdownBoxes(rest, text, style, markdown.shade)));
  return boxes;
}

/** Maximum font size of Markdown, px: it has several lines in most cases, of which a few words should not be huge. */
const markdownSizeMax = 40;

function markdownBoxes(area: Rect, text: string, { color, plate, sizeMin, align, lang, name }: TextStyle, shade: string): Box[] {
  const boxes: Box[] = plate === undefined ? [] : [{ kind: 'fill', ...area, color: plate, radius: 8 }];
  const pad = plate === undefined ? 0 : 6;
  const inside = grown(area, -pad);
  const own = { ...(lang === undefined ? {} : { lang }), ...(name === undefined ? {} : { name }) };
  boxes.push({ kind: 'markdown', ...inside, text, color, shade, sizeMax: markdownSizeMax, sizeMin, align: align ?? 'start', ...own });
  return boxes;
}

/** An icon stands alone, above a short text, or at the left of a long one and of a text with little room. */
function withIcon(area: Rect, text: string): { icon: Rect; rest: Rect } {
  if (text === '') {
    const side = Math.min(144, area.h - 8, area.w - 8);
    return { icon: { ...area, y: Math.round(area.y + (area.h - side) / 2), h: side }, rest: area };
  }
  if (area.w < columnMax || (area.h >= iconAboveMin && textEms(text) <= iconAboveEmsMax)) {
    const h = Math.round(area.h * 0.42) - gap;
    return { icon: { ...area, y: area.y + 4, h: h - 4 }, rest: { ...area, y: area.y + h + gap, h: area.h - h - gap } };
  }
  const w = Math.min(72, area.h - 8);
  return { icon: { ...area, x: area.x + 4, w }, rest: { ...area, x: area.x + w + 4 + gap, w: area.w - w - 4 - gap } };
}

function grown({ x, y, w, h }: Rect, by: number): Rect {
  return { x: x - by, y: y - by, w: w + 2 * by, h: h + 2 * by };
}
