import { exactText, tidyLines, tidyText } from './graphemes.js';
import type { Rect, TextBox } from './scene.js';

export type TextStyle = Pick<TextBox, 'color' | 'sizeMax' | 'sizeMin' | 'linesMax'> &
  Partial<Pick<TextBox, 'align' | 'valign' | 'weight' | 'group' | 'plate' | 'lang' | 'mono' | 'name' | 'page' | 'pageTurn' | 'grey' | 'exact'>>;

/** Returns a box with the text tidied, or none if nothing visible is left. Default style: centred, vertically in the middle, bold. */
export function textBox(rect: Rect, text: string, style: TextStyle): TextBox[] {
  const tidy = (style.exact === true ? exactText : style.mono === true ? tidyLines : tidyText)(text);
  if (tidy === '') return [];
  return [{ kind: 'text', ...rect, text: tidy, align: 'center', valign: 'middle', weight: 700, ...style }];
}
