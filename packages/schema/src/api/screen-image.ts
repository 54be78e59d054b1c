/** Pictures of a robot's screen: as it is now (GET screen), and as an action would draw it (POST preview). */
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { answerObject } from '../definition/action.js';
import { pictureNotesFields } from '../values/picture-notes.js';

export const previewedActions = ['show', 'say', 'ask', 'menu'] as const;
export type PreviewedAction = (typeof previewedActions)[number];

export const screenImageAnswer = answerObject({
  image: Type.String({ contentEncoding: 'base64', contentMediaType: 'image/png', description: 'The screen as a PNG of 320x240 pixels.' }),
  ...pictureNotesFields,
});
export type ScreenImageAnswer = Static<typeof screenImageAnswer>;
