import { Type } from 'typebox';
import { limits } from '../base/limits.js';
import { iconProblem, iconSchema } from '../values/icon.js';
import { hasInk, withoutInk } from '../values/ink.js';
import { LangSchema } from '../values/lang.js';
import { pictureProblem, pictureSchema } from '../values/picture.js';
import { pictureNotesFields } from '../values/picture-notes.js';
import { answerObject, argsObject, defineAction } from '../definition/action.js';
import {
  answeredKeys,
  DetachSchema,
  detachProblem,
  IndexSchema,
  nullable,
  timedOutKeys,
  TimeoutSchema,
  waitFields,
  waitRules,
} from '../definition/wait.js';

const { itemsMin, itemsMax } = limits.menu;

const MenuItemSchema = Type.Union([
  Type.String({ minLength: 1, description: 'The label, with a visible character.' }),
  argsObject({
    id: Type.Optional(Type.String({ minLength: 1, description: 'Returned as item. Ids may repeat; index identifies the tile.' })),
    label: Type.Optional(Type.String({ minLength: 1, description: 'With a visible character.' })),
    image: Type.Optional(pictureSchema('Shown above the label.')),
    icon: Type.Optional(iconSchema('Shown above the label, in place of an image.')),
  }),
]);

export const menu = defineAction({
  name: 'menu',
  group: 'waits',
  summary: 'Show tiles to choose from and wait for the tap on one.',
  description: `An item is a label, or an object with a label, an image or an icon, or a label and one of these, and optionally an id. ${waitRules}`,
  args: argsObject({
    items: Type.Array(MenuItemSchema, { minItems: itemsMin, maxItems: itemsMax, description: `${itemsMin} to ${itemsMax} tiles.` }),
    title: Type.Optional(Type.String({ examples: ['Lunch'], description: 'Small text at the top.' })),
    lang: Type.Optional(LangSchema),
    timeout_s: Type.Optional(TimeoutSchema),
    detach: Type.Optional(DetachSchema),
  }),
  form: { usual: ['title', 'timeout_s'], more: { Text: ['lang'], Answer: ['detach'] } },
  answer: answerObject({
    ...waitFields,
    item: nullable(Type.String(), "The tile's id, or its label if it has no id. Null for a tile with neither; index identifies it."),
    index: IndexSchema,
    label: nullable(Type.String(), "The tile's label; null if it has none."),
    ...pictureNotesFields,
  }),
  features: ['screen', 'touch'],
  defaults: ['timeout_s'],
  falseIsAbsent: ['detach'],
  rules({ items, timeout_s, detach }) {
    for (const [index, item] of items.entries()) {
      if (typeof item === 'string') {
        if (!hasInk(item)) return { field: `items[${index}]`, message: withoutInk };
        continue;
      }
      const { label, image, icon } = item;
      if (label === undefined && image === undefined && icon === undefined)
        return { field: `items[${index}]`, message: 'needs a label, an image or an icon' };
      if (label !== undefined && !hasInk(label)) return { field: `items[${index}].label`, message: withoutInk };
      if (image !== undefined && icon !== undefined)
        return { field: `items[${index}].icon`, message: 'cannot be combined with image; send one or the other' };
      const problem =
        icon !== undefined ? iconProblem(`items[${index}].icon`, icon) : image !== undefined ? pictureProblem(`items[${index}].image`, image) : null;
      if (problem !== null) return problem;
    }
    const choices = items.map((item) => (typeof item === 'string' ? { label: item } : { id: item.id, label: item.label }));
    return detachProblem({ timeout_s, detach }, 'items', choices);
  },
  examples: [
    {
      args: { title: 'Lunch', items: ['Soup', { id: 'p', label: 'Pizza' }] },
      answer: { ...answeredKeys, item: 'p', index: 1, label: 'Pizza' },
    },
    { args: { items: ['Left', 'Right'], timeout_s: 5 }, answer: { ...timedOutKeys, item: null, index: null, label: null } },
  ],
});
