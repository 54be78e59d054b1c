import { parseColor } from '@perch/schema/plain';
import { middleBoxes } from './card-middle.js';
import type { Countdown } from './countdown.js';
import { tidyLines, tidyText } from './graphemes.js';
import { layoutNotes } from './layout-notes.js';
import { screen, type Box, type Rect, type Scene } from './scene.js';
import { textBox } from './text-box.js';
import { blueOn, contrast, mutedOn, plateFor, shadeOf, textOn, theme, trackOn } from './theme.js';

export interface CardArgs {
  text?: string;
  title?: string;
  note?: string;
  icon?: string;
  /** Text of a QR code. Not with `sparkline`, `countdown` or `progress`. */
  qr?: string;
  /** Null for a gap. */
  sparkline?: readonly (number | null)[];
  /** Not with `sparkline`. */
  countdown?: Countdown;
  /** #rrggbb or a name, for text, title, icon, line and bar. */
  color?: string;
  background?: string;
  /** 0..1 */
  progress?: number;
  /** Default: center; for text in the monospace font or in Markdown, the side where its lines start. */
  align?: 'left' | 'center' | 'right';
  /** The text, not title and note, in a monospace font. */
  mono?: boolean;
  format?: 'plain' | 'markdown';
  /** Number, from 0, of the page that is drawn of a text that does not fit; absent: it is cut. */
  page?: number;
  lang?: string;
}

const margin = 14;
const inner = screen.w - 2 * margin;

/** Least contrast of a bar and its track: WCAG's threshold for graphics. */
const barContrast = 3;

/** The note and all default colours are readable on the background. Text in a `color` that is hard to read there stands on a plate. */
export function cardScene(args: CardArgs): Scene {
  const background = args.background === undefined ? theme.background : parseColor(args.background);
  const color = args.color === undefined ? undefined : parseColor(args.color);
  const style = { ...(args.lang === undefined ? {} : { lang: args.lang }), ...(args.align === undefined ? {} : { align: args.align }) };
  const plate = color === undefined ? undefined : plateFor(color, background);
  const own = { ...style, ...(plate === undefined ? {} : { plate }) };
  const boxes: Box[] = [];
  const isQrAlone = args.qr !== undefined && !['title', 'text', 'note', 'icon'].some((name) => name in args);
  const edge = isQrAlone ? 4 : 12;
  let top = edge;
  let bottom = screen.h - edge;
  const title = tidyText(args.title ?? '');
  const isMarkdown = args.format === 'markdown';
  const text = args.mono === true || isMarkdown ? tidyLines(args.text ?? '') : tidyText(args.text ?? '');
  const note = tidyText(args.note ?? '');

  // A QR code needs all the height that is left.
  const isLow = args.qr !== undefined;
  if (title !== '') {
    const h = isLow ? 28 : 40;
    boxes.push(
      ...textBox({ x: margin, y: top, w: inner, h }, title, {
        color: color ?? blueOn(background),
        sizeMax: 27,
        sizeMin: 16,
        linesMax: 2,
        name: 'title',
        ...own,
      }),
    );
    top += h + 6;
  }
  if (note !== '') {
    const h = isLow ? 24 : 38;
    boxes.push(
      ...textBox({ x: margin, y: bottom - h, w: inner, h }, note, {
        color: mutedOn(background),
        sizeMax: 19,
        sizeMin: 16,
        linesMax: 2,
        weight: 400,
        name: 'note',
        ...style,
      }),
    );
    bottom -= h + 6;
  }
  if (args.progress !== undefined) {
    const alone = text === '' && args.icon === undefined && args.countdown === undefined;
    const h = alone ? 28 : 18;
    const y = alone ? Math.round((top + bottom - h) / 2) : bottom - h - 4;
    boxes.push(...bar({ x: margin + 4, y, w: inner - 8, h }, args.progress, color ?? blueOn(background), background));
    bottom = y - 8;
  }
  boxes.push(
    ...middleBoxes(
      { x: margin, y: top, w: inner, h: bottom - top },
      {
        text,
        markdown: isMarkdown ? { shade: trackOn(plate ?? background) } : undefined,
        icon: args.icon,
        qr: args.qr,
        sparkline: args.sparkline,
        countdown: args.countdown,
        style: {
          color: color ?? textOn(background),
          sizeMax: 104,
          sizeMin: 20,
          linesMax: 12,
          name: 'text',
          ...own,
          ...(args.page === undefined ? {} : { page: args.page }),
          // Centred lines of different lengths would shift its columns.
          ...(args.mono === true ? { mono: true, align: args.align ?? 'start' } : {}),
        },
        line: { color: color ?? blueOn(background), shade: shadeOf(color ?? blueOn(background), plate ?? background) },
      },
    ),
  );
  const isOnPlate =
    plate !== undefined && (title !== '' || text !== '' || [args.icon, args.sparkline, args.countdown].some((part) => part !== undefined));
  const isFramed = color !== undefined && args.progress !== undefined && !isBarVisible(color, background);
  return {
    w: screen.w,
    h: screen.h,
    background,
    boxes,
    ...layoutNotes(
      { title: args.title, text: args.text, note: args.note, 'countdown.done': args.countdown?.done },
      isOnPlate || isFramed ? ['color'] : [],
    ),
  };
}

function isBarVisible(color: string, background: string): boolean {
  return contrast(color, trackOn(background)) >= barContrast;
}

/** Any progress above 0 shows at least the rounded end. A track in another colour surrounds a bar that is hard to see. */
function bar(rect: Rect, progress: number, color: string, background: string): Box[] {
  const isVisible = isBarVisible(color, background);
  const track = isVisible ? trackOn(background) : textOn(color);
  const border = isVisible ? {} : { border: { color: track, width: 2 } };
  const radius = rect.h / 2;
  const share = Math.min(1, Math.max(0, progress));
  const boxes: Box[] = [{ kind: 'fill', ...rect, color: track, radius }];
  if (share > 0) boxes.push({ kind: 'fill', ...rect, w: Math.max(rect.h, Math.round(rect.w * share)), color, radius, ...border });
  return boxes;
}
