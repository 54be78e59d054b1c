import { Type } from 'typebox';
import type { Picker } from '../base/argument-form.js';
import { colorNames, colorPattern } from './color.js';

const howToWrite = `#rrggbb or a name: ${Object.keys(colorNames).join(', ')}.`;

/** @param use purpose of the colour; precedes the format in the description */
export function colorSchema(use?: string) {
  return Type.String({
    'x-picker': 'color' satisfies Picker,
    pattern: colorPattern,
    description: use === undefined ? howToWrite : `${use} ${howToWrite}`,
  });
}

export const ColorSchema = colorSchema();
