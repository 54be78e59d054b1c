/** A card or question that a robot showed, as it is stored: `<ms> <JSON>`. Its arguments are those of the action, without pictures. */
import type { ScreenAction } from '@perch/schema';
import type { Forms } from '../versions/forms.js';
import type { ActivityVia } from './activity-chunk.js';

/** Bytes of the JSON of the arguments; longer ones are not kept. */
export const screenArgsBytesMax = 8192;

/** Absent fields do not apply. */
export interface ScreenRecord {
  id: string;
  /** Redis ms at which it was shown. */
  at: number;
  action: ScreenAction;
  via: ActivityVia;
  key?: { id: string; name: string };
  /** ok; of questions answered, timed_out, replaced, client_closed, or the code of an error. */
  outcome: string;
  answer?: string;
  /** Where a question was tapped, screen pixels. */
  x?: number;
  y?: number;
  tapMs?: number;
  /** Null: longer than `screenArgsBytesMax`. */
  args: Record<string, unknown> | null;
  /** Paths of pictures that were shown and are not kept: `image`, `items[0].image`. */
  lacks?: readonly string[];
}

export function screenText({ at, ...record }: ScreenRecord): string {
  return `${Math.floor(at)} ${JSON.stringify(record)}`;
}

/** Null if this release cannot read it. */
export function parseScreen(text: string, forms: Forms): ScreenRecord | null {
  const end = text.indexOf(' ');
  const record = forms.read<Omit<ScreenRecord, 'at'>>('robot_screen', text.slice(end + 1));
  return record === null ? null : { at: Number(text.slice(0, end)), ...record };
}
