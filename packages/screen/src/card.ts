import { parseColor } from '@perch/schema/plain';
import { tidyText } from './graphemes.js';
import { screen, type Box, type Rect, type Scene } from './scene.js';
import { textBox } from './text-box.js';
import { blueOn, mutedOn, textOn, theme, trackOn } from './theme.js';

export interface CardArgs {
  text?: string;
  title?: string;
  note?: string;
  /** #rrggbb or a name, for text, title and bar. */
  color?: string;
  background?: string;
  /** 0..1 */
  progress?: number;
}

const margin = 14;
const inner = screen.w - 2 * margin;

/** Returns the scene of a card. The note, which does not use `color`, and all default colours are readable on the background. */
export function cardScene(args: CardArgs): Scene {
  const background = args.background === undefined ? theme.background : parseColor(args.background);
  const color = args.color === undefined ? undefined : parseColor(args.color);
  const boxes: Box[] = [];
  let top = 12;
  let bottom = screen.h - 12;
  const title = tidyText(args.title ?? '');
  const text = tidyText(args.text ?? '');
  const note = tidyText(args.note ?? '');

  if (title !== '') {
    const h = 40;
    boxes.push(...textBox({ x: margin, y: top, w: inner, h }, title, { color: color ?? blueOn(background), sizeMax: 27, sizeMin: 15, linesMax: 2 }));
    top += h + 6;
  }
  if (note !== '') {
    const h = 38;
    boxes.push(
      ...textBox({ x: margin, y: bottom - h, w: inner, h }, note, { color: mutedOn(background), sizeMax: 19, sizeMin: 13, linesMax: 2, weight: 400 }),
    );
    bottom -= h + 6;
  }
  if (args.progress !== undefined) {
    const alone = text === '';
    const h = alone ? 28 : 18;
    const y = alone ? Math.round((top + bottom - h) / 2) : bottom - h - 4;
    boxes.push(...bar({ x: margin + 4, y, w: inner - 8, h }, args.progress, color ?? blueOn(background), trackOn(background)));
    bottom = y - 8;
  }
  if (text !== '') {
    boxes.push(
      ...textBox({ x: margin, y: top, w: inner, h: bottom - top }, text, {
        color: color ?? textOn(background),
        sizeMax: 104,
        sizeMin: 13,
        linesMax: 12,
      }),
    );
  }
  return { w: screen.w, h: screen.h, background, boxes };
}

/** Returns a progress bar. Any progress above 0 shows at least the rounded end. */
function bar(rect: Rect, progress: number, color: string, track: string): Box[] {
  const radius = rect.h / 2;
  const share = Math.min(1, Math.max(0, progress));
  const boxes: Box[] = [{ kind: 'fill', ...rect, color: track, radius }];
  if (share > 0) boxes.push({ kind: 'fill', ...rect, w: Math.max(rect.h, Math.round(rect.w * share)), color, radius });
  return boxes;
}
