/**
 * Makes the text boxes of a scene: tidied, and left out when there is nothing to read.
 */
import { tidyText } from './graphemes.js';
import type { Rect, TextBox } from './scene.js';

export type TextStyle = Pick<TextBox, 'color' | 'sizeMax' | 'sizeMin' | 'linesMax'> & Partial<Pick<TextBox, 'align' | 'valign' | 'weight' | 'group'>>;

/** No box for an empty text. Centred, in the middle and bold unless `style` says otherwise. */
export function textBox(rect: Rect, text: string, style: TextStyle): TextBox[] {
  const tidy = tidyText(text);
  if (tidy === '') return [];
  return [{ kind: 'text', ...rect, text: tidy, align: 'center', valign: 'middle', weight: 700, ...style }];
}
