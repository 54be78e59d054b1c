/** A colour in a schema. */
import { Type } from 'typebox';
import { colorNames, colorPattern } from './color.js';

const howToWrite = `#rrggbb or a name: ${Object.keys(colorNames).join(', ')}.`;

/** @param use what the colour is for, ahead of how to write one */
export function colorSchema(use?: string) {
  return Type.String({ pattern: colorPattern, description: use === undefined ? howToWrite : `${use} ${howToWrite}` });
}

export const ColorSchema = colorSchema();
