import { exactText, isEmoji, graphemes, textEms, tidyText, widestWordEms } from './graphemes.js';
import { iconBox } from './icon-box.js';
import { layoutNotes } from './layout-notes.js';
import { gap, screen, type Box, type Rect, type TappableScene } from './scene.js';
import { textBox } from './text-box.js';
import { theme } from './theme.js';

export interface QuestionArgs {
  question: string;
  answers: readonly string[];
  /** Icons of the answers, in their order; '' for none. */
  icons?: readonly string[];
  lang?: string;
  /** Number, from 0, of the page that is drawn of a question that does not fit; absent: it is cut. */
  page?: number;
  /** The answers are grey: their tap does not count yet, but on the answer `deny`. */
  grey?: boolean;
  /** Number of the answer that allows nothing: an outline, where the others are filled, so that colours need not tell them apart. */
  deny?: number;
  /** The question must be read whole: its texts are exact, and a tap beside the answers turns the page, which says so. */
  whole?: boolean;
}

const looks = {
  counts: { fill: theme.button, edge: theme.buttonEdge, width: 2, text: theme.text },
  grey: { fill: theme.grey, edge: theme.greyEdge, width: 2, text: theme.greyText },
  deny: { fill: theme.background, edge: theme.text, width: 3, text: theme.text },
};

/** Target i is the drawn rectangle of answer i's button. In every layout the points (60,170) and (260,170) are inside a button. */
export function questionScene(args: QuestionArgs): TappableScene {
  const tidy = args.whole === true ? exactText : tidyText;
  const question = tidy(args.question);
  const answers = args.answers.map(tidy);
  const exact = args.whole === true ? ({ exact: true } as const) : {};
  const lang = args.lang === undefined ? {} : { lang: args.lang };
  const icons = args.icons ?? [];
  const buttons = buttonRects(
    question,
    answers,
    icons.some((icon) => icon !== ''),
  );
  const top = Math.min(...buttons.map((b) => b.y));
  const boxes: Box[] = textBox({ x: 12, y: 8, w: screen.w - 24, h: top - 16 }, args.question, {
    color: theme.text,
    sizeMax: 40,
    sizeMin: 20,
    linesMax: 8,
    name: 'question',
    ...(args.page === undefined ? {} : { page: args.page }),
    ...(args.page !== undefined && args.whole === true ? { pageTurn: isEnglish(args.lang) ? 'words' : 'arrow' } : {}),
    ...exact,
    ...lang,
  });
  buttons.forEach((rect, i) => {
    const answer = answers[i] ?? '';
    const isGrey = args.grey === true && i !== args.deny;
    const { fill, edge, width, text: color } = isGrey ? looks.grey : i === args.deny ? looks.deny : looks.counts;
    boxes.push({ kind: 'fill', ...rect, color: fill, radius: 16, border: { color: edge, width } });
    const clusters = graphemes(answer);
    const picture = clusters.length === 1 && isEmoji(answer);
    const { icon, text } = buttonParts(rect, icons[i] ?? '', color);
    boxes.push(
      ...icon,
      ...textBox(text, args.answers[i] ?? '', {
        color,
        sizeMax: picture ? Math.min(60, text.h) : Math.min(32, Math.round(rect.h * 0.6)),
        sizeMin: 20,
        linesMax: 4,
        name: `answers[${i}]`,
        ...exact,
        ...lang,
        ...(isGrey ? { grey: true } : {}),
        ...(picture ? {} : { group: 'answers' }),
      }),
    );
  });
  const sent = Object.fromEntries([['question', args.question], ...args.answers.map((answer, i) => [`answers[${i}]`, answer] as const)]);
  return {
    scene: { w: screen.w, h: screen.h, background: theme.background, boxes, ...layoutNotes(sent, [], args.whole === true ? 'exact' : undefined) },
    targets: buttons.map((rect) => ({ shape: 'rect', ...rect })),
  };
}

/** Returns the icon of a button, above its text where the button is narrow or high, else at its left; and the area of the text. */
function buttonParts(rect: Rect, icon: string, color: string): { icon: Box[]; text: Rect } {
  const inside = { x: rect.x + 7, y: rect.y + 4, w: rect.w - 14, h: rect.h - 8 };
  if (icon === '') return { icon: [], text: inside };
  if (rect.w < 140 || rect.h >= 90) {
    const h = Math.max(24, Math.round(inside.h * 0.4));
    const below = { ...inside, y: inside.y + h + 2, h: inside.h - h - 2 };
    return { icon: [iconBox({ ...inside, y: inside.y + 2, h: h - 2 }, icon, color)], text: below };
  }
  const w = Math.min(36, inside.h);
  const side = { ...inside, x: inside.x + w + 6, w: inside.w - w - 6 };
  return { icon: [iconBox({ ...inside, w }, icon, color)], text: side };
}

function isEnglish(lang: string | undefined): boolean {
  return lang === undefined || /^en(?:-|$)/i.test(lang);
}

/** @param hasIcons whether a part of the buttons is taken by icons */
function buttonRects(question: string, answers: string[], hasIcons: boolean): Rect[] {
  const n = answers.length;
  // A question of up to two large lines leaves space for taller buttons.
  const high = textEms(question) * 32 <= 2 * 280 ? 128 : 156;
  // On low buttons an icon stands at the left of the text; above it, it leaves one line.
  const beside = hasIcons && high > 128 ? 42 : 0;
  if (n === 2 && answers.every((a) => fitsColumn(a, 132 - beside, 21))) return grid(2, 1, high);
  if (n === 2) return grid(1, 2, 92);
  const linesMax = hasIcons && high > 128 ? 1 : 1.8;
  if (n === 3 && answers.every((a) => fitsColumn(a, 82, 18, linesMax))) return grid(3, 1, high);
  if (n === 3) return grid(1, 3, 84);
  return grid(2, 2, 92);
}

/** Returns whether the answer fits a button of this width without breaking a word, in the number of lines at `size`. */
function fitsColumn(answer: string, width: number, size: number, linesMax = 1.8): boolean {
  return widestWordEms(answer) * size <= width && textEms(answer) * size <= linesMax * width;
}

function grid(columns: number, rows: number, top: number): Rect[] {
  const w = Math.floor((screen.w - gap * (columns + 1)) / columns);
  const h = Math.floor((screen.h - gap - top - gap * (rows - 1)) / rows);
  const left = Math.floor((screen.w - columns * w - gap * (columns - 1)) / 2);
  return Array.from({ length: columns * rows }, (_, i) => ({
    x: left + (i % columns) * (w + gap),
    y: top + Math.floor(i / columns) * (h + gap),
    w,
    h,
  }));
}
