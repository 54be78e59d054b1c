import { isObject, pictureSource } from '@perch/schema';
import { screenArgsBytesMax, type ScreenRecord } from '@perch/store';

type Args = Record<string, unknown>;
export type KeptArguments = Pick<ScreenRecord, 'args' | 'lacks'>;

/**
 * Returns the arguments as they are kept: pictures in base64 are too large, and those at an address may be others by now, so that only ids of uploaded
 * pictures stay. Arguments that are still too long are not kept.
 */
export function keptArguments(args: object): KeptArguments {
  const lacks: string[] = [];
  const { items, ...others } = withoutPicture(args as Args, '', lacks);
  const kept = Array.isArray(items)
    ? { ...others, items: items.map((item: unknown, i) => (isObject(item) ? withoutPicture(item, `items[${i}].`, lacks) : item)) }
    : others;
  const isShort = Buffer.byteLength(JSON.stringify(kept)) <= screenArgsBytesMax;
  return { args: isShort ? kept : null, ...(lacks.length > 0 && { lacks }) };
}

function withoutPicture(args: Args, path: string, lacks: string[]): Args {
  const { image, ...others } = args;
  if (typeof image !== 'string') return args;
  if (pictureSource(image) === 'upload') return args;
  lacks.push(`${path}image`);
  return others;
}
