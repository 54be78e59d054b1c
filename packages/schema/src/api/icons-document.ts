import { Type } from 'typebox';
import { answerObject } from '../definition/action.js';
import { allIcons, type Icon } from '../values/icon.js';

export interface IconsDocument {
  ok: true;
  icons: readonly Icon[];
}

export const iconsAnswer = answerObject({
  icons: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Used as icon.' }),
      tags: Type.Array(Type.String(), { description: 'Words for what the icon shows or means.' }),
    }),
  ),
});

export function iconsDocument(): IconsDocument {
  return { ok: true, icons: allIcons() };
}
