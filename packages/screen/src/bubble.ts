/** Lays out the text of a speech bubble as a picture, for robots whose fonts lack the script. The robot draws the bubble around it. */
import { textEms, tidyText } from './graphemes.js';
import { layoutNotes } from './layout-notes.js';
import type { Scene } from './scene.js';
import { textBox } from './text-box.js';
import { theme } from './theme.js';

const size = 22;
const lineHeight = 29;
const pad = 10;
const widthMax = 296;
const linesMax = 4;

/** Returns the scene of a bubble's text: dark on white, sized to the text, at most 296 x 136 px. */
export function bubbleScene(text: string, lang?: string): Scene {
  const tidy = tidyText(text);
  const paragraphs = tidy.split('\n');
  const w = Math.round(Math.min(widthMax, Math.max(40, ...paragraphs.map(widthOf)) + 2 * pad));
  const lines = paragraphs.reduce((sum, paragraph) => sum + linesOf(paragraph), 0);
  const h = Math.min(linesMax, lines) * lineHeight + 2 * pad;
  const boxes = textBox({ x: pad, y: pad, w: w - 2 * pad, h: h - 2 * pad }, tidy, {
    color: theme.dark,
    sizeMax: size,
    sizeMin: 20,
    linesMax: 6,
    name: 'text',
    ...(lang === undefined ? {} : { lang }),
  });
  return { w, h, background: theme.bubble, boxes, ...layoutNotes({ text }) };
}

function widthOf(text: string): number {
  return textEms(text) * size * 1.08;
}

/** Estimates the lines of a paragraph: a word that does not fit begins a new line, one that is wider than a line continues on the next. */
function linesOf(paragraph: string): number {
  const inner = widthMax - 2 * pad;
  let lines = 1;
  let used = 0;
  for (const word of paragraph.split(' ')) {
    const width = widthOf(word);
    const after = used === 0 ? width : used + widthOf(' ') + width;
    if (after <= inner) used = after;
    else if (width <= inner) {
      lines++;
      used = width;
    } else {
      lines += Math.ceil(after / inner) - 1;
      used = after % inner;
    }
  }
  return lines;
}
