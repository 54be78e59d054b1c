import { Type } from 'typebox';
import type { Static } from 'typebox';
import { limits } from '../base/limits.js';
import type { Problem } from '../base/open-object.js';

const { pointsMin, pointsMax } = limits.clickmap;

/** Does without `prefixItems`: many MCP clients reject an array without `items`. `regionProblem` checks that w, h and r are above 0. */
function numbers<T extends number[]>(count: number, description?: string) {
  return Type.Unsafe<T>({
    type: 'array',
    items: { type: 'number' },
    minItems: count,
    maxItems: count,
    ...(description === undefined ? {} : { description }),
  });
}

export const shapeNames = ['rect', 'circle', 'polygon'] as const;

export const RegionSchema = Type.Object(
  {
    id: Type.String({ minLength: 1, description: 'Returned as `region` when the region is tapped. Ids may repeat; `index` identifies the region.' }),
    rect: Type.Optional(numbers<[x: number, y: number, w: number, h: number]>(4, '[x, y, w, h]; w and h above 0.')),
    circle: Type.Optional(numbers<[x: number, y: number, r: number]>(3, '[x, y, r]; r above 0.')),
    polygon: Type.Optional(
      Type.Array(numbers<[x: number, y: number]>(2), { minItems: pointsMin, maxItems: pointsMax, description: '[[x, y], ...], 3 to 32 points.' }),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 2,
    maxProperties: 2,
    description:
      'An id and exactly one of rect, circle and polygon, in screen pixels (320x240). A rect has its left and top edge, not the right and bottom one; other edges count as inside. Where regions overlap, the first listed counts.',
  },
);

export type Region = Static<typeof RegionSchema>;

/** Widths, heights and radii must be above 0, which the schema cannot express. */
export function regionProblem(region: Region, path: string): Problem | null {
  if (region.rect !== undefined) {
    if (!(region.rect[2] > 0)) return { field: `${path}.rect[2]`, message: 'w must be above 0' };
    if (!(region.rect[3] > 0)) return { field: `${path}.rect[3]`, message: 'h must be above 0' };
  }
  if (region.circle !== undefined && !(region.circle[2] > 0)) return { field: `${path}.circle[2]`, message: 'r must be above 0' };
  return null;
}
