import { tidyText } from './graphemes.js';
import type { Rect, TextBox } from './scene.js';

export type TextStyle = Pick<TextBox, 'color' | 'sizeMax' | 'sizeMin' | 'linesMax'> & Partial<Pick<TextBox, 'align' | 'valign' | 'weight' | 'group'>>;

/** Returns a box with the tidied text, or none if it is empty. Default style: centred, vertically in the middle, bold. */
export function textBox(rect: Rect, text: string, style: TextStyle): TextBox[] {
  const tidy = tidyText(text);
  if (tidy === '') return [];
  return [{ kind: 'text', ...rect, text: tidy, align: 'center', valign: 'middle', weight: 700, ...style }];
}
