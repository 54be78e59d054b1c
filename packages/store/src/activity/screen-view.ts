import type { EarlierScreen } from '@perch/schema';
import type { ScreenRecord } from './screen-record.js';

export function screenViewOf({ id, at, action, via, key, outcome, answer, x, y, tapMs, args, lacks = [] }: ScreenRecord): EarlierScreen {
  return {
    id,
    at: new Date(at).toISOString(),
    action,
    via,
    key: key ?? null,
    outcome,
    answer: answer ?? null,
    x: x ?? null,
    y: y ?? null,
    tap_s: tapMs === undefined ? null : Math.round(tapMs) / 1000,
    arguments: args,
    lacks,
    // A menu is drawn without the pictures of its tiles; of a picture on the whole screen, nothing would be left.
    drawable: args !== null && !lacks.includes('image'),
  };
}
