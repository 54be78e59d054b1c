import { isEmoji, graphemes, textEms, tidyText, widestWordEms } from './graphemes.js';
import { gap, screen, type Box, type Rect, type TappableScene } from './scene.js';
import { textBox } from './text-box.js';
import { theme } from './theme.js';

export interface QuestionArgs {
  question: string;
  /** 2 to 4 answers. */
  answers: readonly string[];
}

/**
 * Returns the scene and targets of a question; target i is the drawn rectangle of answer i's button.
 * In every layout the points (60,170) and (260,170) are inside a button.
 */
export function questionScene(args: QuestionArgs): TappableScene {
  const question = tidyText(args.question);
  const answers = args.answers.map(tidyText);
  const buttons = buttonRects(question, answers);
  const top = Math.min(...buttons.map((b) => b.y));
  const boxes: Box[] = textBox({ x: 12, y: 8, w: screen.w - 24, h: top - 16 }, question, {
    color: theme.text,
    sizeMax: 40,
    sizeMin: 13,
    linesMax: 8,
  });
  buttons.forEach((rect, i) => {
    const answer = answers[i] ?? '';
    boxes.push({ kind: 'fill', ...rect, color: theme.button, radius: 16, border: { color: theme.buttonEdge, width: 2 } });
    const clusters = graphemes(answer);
    const picture = clusters.length === 1 && isEmoji(answer);
    boxes.push(
      ...textBox({ x: rect.x + 7, y: rect.y + 4, w: rect.w - 14, h: rect.h - 8 }, answer, {
        color: theme.text,
        sizeMax: picture ? 60 : Math.min(32, Math.round(rect.h * 0.6)),
        sizeMin: 12,
        linesMax: 4,
        ...(picture ? {} : { group: 'answers' }),
      }),
    );
  });
  return {
    scene: { w: screen.w, h: screen.h, background: theme.background, boxes },
    targets: buttons.map((rect) => ({ shape: 'rect', ...rect })),
  };
}

function buttonRects(question: string, answers: string[]): Rect[] {
  const n = answers.length;
  // A question of up to two large lines leaves space for taller buttons.
  const high = textEms(question) * 32 <= 2 * 280 ? 128 : 156;
  if (n === 2 && answers.every((a) => fitsColumn(a, 132, 21))) return grid(2, 1, high);
  if (n === 2) return grid(1, 2, 92);
  if (n === 3 && answers.every((a) => fitsColumn(a, 82, 18))) return grid(3, 1, high);
  if (n === 3) return grid(1, 3, 84);
  return grid(2, 2, 92);
}

/** Returns whether the answer fits a button of this width without breaking a word, in at most two lines at `size`. */
function fitsColumn(answer: string, width: number, size: number): boolean {
  return widestWordEms(answer) * size <= width && textEms(answer) * size <= 1.8 * width;
}

/** Returns buttons of equal size from `top` to the lower edge, row by row. */
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
