import { Type } from 'typebox';
import { limits } from '../api/limits.js';
import { pictureProblem, pictureSchema } from '../values/picture.js';
import { answerObject, argsObject, defineAction } from './action.js';
import { answeredKeys, IndexSchema, nullable, timedOutKeys, TimeoutSchema, waitFields, waitRules } from './wait.js';

const { itemsMin, itemsMax } = limits.menu;

const MenuItemSchema = Type.Union([
  Type.String({ minLength: 1, description: 'The label.' }),
  argsObject({
    id: Type.Optional(Type.String({ minLength: 1, description: 'Returned as item. Ids may repeat; index identifies the tile.' })),
    label: Type.Optional(Type.String({ minLength: 1 })),
    image: Type.Optional(pictureSchema('Shown above the label.')),
  }),
]);

export const menu = defineAction({
  name: 'menu',
  group: 'waits',
  summary: 'Show tiles to choose from and wait for the tap on one.',
  description: `An item is a label, or an object with label, image or both, and optionally an id. ${waitRules}`,
  args: argsObject({
    items: Type.Array(MenuItemSchema, { minItems: itemsMin, maxItems: itemsMax, description: `${itemsMin} to ${itemsMax} tiles.` }),
    title: Type.Optional(Type.String({ description: 'Small text at the top.' })),
    timeout_s: Type.Optional(TimeoutSchema),
  }),
  answer: answerObject({
    ...waitFields,
    item: nullable(Type.String(), "The tile's id, or its label if it has no id. Null for a tile with neither; index identifies it."),
    index: IndexSchema,
    label: nullable(Type.String(), "The tile's label; null if it has none."),
  }),
  features: ['screen', 'touch'],
  defaults: ['timeout_s'],
  rules({ items }) {
    for (const [index, item] of items.entries()) {
      if (typeof item === 'string') continue;
      if (item.label === undefined && item.image === undefined) return { field: `items[${index}]`, message: 'needs a label or an image' };
      const problem = item.image === undefined ? null : pictureProblem(`items[${index}].image`, item.image);
      if (problem !== null) return problem;
    }
    return null;
  },
  examples: [
    {
      args: { title: 'Lunch', items: ['Soup', { id: 'p', label: 'Pizza' }] },
      answer: { ...answeredKeys, item: 'p', index: 1, label: 'Pizza' },
    },
    { args: { items: ['Left', 'Right'], timeout_s: 5 }, answer: { ...timedOutKeys, item: null, index: null, label: null } },
  ],
});
