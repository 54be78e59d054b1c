import { Type } from 'typebox';
import { limits } from '../base/limits.js';
import { pictureProblem, pictureSchema } from '../values/picture.js';
import { RegionSchema, regionProblem } from '../values/region.js';
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

const { regionsMin, regionsMax } = limits.clickmap;

export const clickmap = defineAction({
  name: 'clickmap',
  group: 'waits',
  summary: 'Wait for the first tap inside one of the given regions of the screen.',
  description: `With image, the picture is shown first and stays on the screen. Without it, the regions apply to whatever the screen shows. ${waitRules}`,
  args: argsObject({
    regions: Type.Array(RegionSchema, {
      minItems: regionsMin,
      maxItems: regionsMax,
      description: `${regionsMin} to ${regionsMax} regions. Where regions overlap, the first listed counts.`,
    }),
    image: Type.Optional(pictureSchema('Shown first, fitted to 320x240.')),
    timeout_s: Type.Optional(TimeoutSchema),
    detach: Type.Optional(DetachSchema),
  }),
  form: { usual: ['image', 'timeout_s'], more: { Answer: ['detach'] } },
  answer: answerObject({
    ...waitFields,
    region: nullable(Type.String(), 'Id of the tapped region.'),
    index: IndexSchema,
    x: nullable(Type.Number(), 'Screen pixels, 320x240.'),
    y: nullable(Type.Number(), 'Screen pixels, 320x240.'),
  }),
  features: ['screen', 'touch'],
  defaults: ['timeout_s'],
  falseIsAbsent: ['detach'],
  rules({ regions, image, timeout_s, detach }) {
    for (const [index, region] of regions.entries()) {
      const problem = regionProblem(region, `regions[${index}]`);
      if (problem !== null) return problem;
    }
    const problem = detachProblem(
      { timeout_s, detach },
      'regions',
      regions.map(({ id }) => ({ id })),
    );
    return problem ?? (image === undefined ? null : pictureProblem('image', image));
  },
  examples: [
    {
      args: {
        regions: [
          { id: 'left', rect: [0, 0, 160, 240] },
          { id: 'ball', circle: [240, 120, 40] },
        ],
      },
      answer: { ...answeredKeys, region: 'ball', index: 1, x: 250, y: 110 },
    },
    {
      args: {
        regions: [
          {
            id: 'roof',
            polygon: [
              [0, 0],
              [320, 0],
              [160, 100],
            ],
          },
        ],
        timeout_s: 10,
      },
      answer: { ...timedOutKeys, region: null, index: null, x: null, y: null },
    },
  ],
});
