/** What is made of actions. The list that is served names the twelve alone; a scene is written as JSON, since it can hold any of them. */
import type { JsonSchema } from './schema-fields.js';

export interface PlayAction {
  name: string;
  summary: string;
  description: string;
  arguments: JsonSchema;
}

export const compounds: readonly PlayAction[] = [
  {
    name: 'stop',
    summary: 'End the wait, the sound, the LED effect and the head motion, in one call.',
    description: 'Takes no arguments. Cards, the face and the volume stay.',
    arguments: { type: 'object', properties: {} },
  },
  {
    name: 'scene',
    summary: 'Do up to 10 actions one after the other, in one call.',
    description: 'All are checked before the first is done. An ask, menu or clickmap can only be the last.',
    arguments: {
      type: 'object',
      required: ['actions'],
      properties: {
        actions: {
          type: 'array',
          items: { type: 'object' },
          description: 'As JSON: each an object with the name of its action and, beside it, its arguments.',
        },
      },
    },
  },
];
