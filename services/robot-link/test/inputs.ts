import type { Input, InputKind, InputOf } from '@perch/schema';
import { Gestures, type GestureOutput } from '../src/input/gestures.js';

type Fields<K extends InputKind> = Omit<InputOf<K>, 't' | 'seq' | 'ms' | 'kind'>;
export type Raw = { [K in InputKind]: { kind: K; after?: number } & Fields<K> }[InputKind];

/** Numbers inputs from 1, by default 10 ms apart. */
export function numbered(raws: readonly Raw[]): Input[] {
  let ms = 1000;
  return raws.map(({ after = 10, ...raw }, index) => {
    ms += after;
    return { t: 'in', seq: index + 1, ms, ...raw } as Input;
  });
}

/** Feeds inputs that nothing follows. */
export function fed(raws: readonly Raw[], gestures = new Gestures()): GestureOutput[] {
  return [...feedAll(gestures, numbered(raws)), ...gestures.settle()];
}

export function feedAll(gestures: Gestures, inputs: readonly Input[]): GestureOutput[] {
  return inputs.flatMap((input) => gestures.feed(input, false));
}

export function eventsOf(raws: readonly Raw[], gestures = new Gestures()): unknown[] {
  return fed(raws, gestures).map((output) => (output.kind === 'touch' ? ['touch'] : [output.name, output.data]));
}

export function headTouch(heldMs: number, { from = 1, to = from }: { from?: number; to?: number } = {}): Raw[] {
  return [
    { kind: 'head_down', zone: from },
    { kind: 'head_up', zone: to, held_ms: heldMs, after: heldMs },
  ];
}

export function screenTouch(heldMs: number, at: [number, number] = [160, 120], end = at): Raw[] {
  return [
    { kind: 'touch_down', x: at[0], y: at[1] },
    { kind: 'touch_up', x: end[0], y: end[1], held_ms: heldMs, after: heldMs },
  ];
}

export function proximity(...raws: number[]): Raw[] {
  return raws.map((raw) => ({ kind: 'prox', raw, after: 100 }));
}
