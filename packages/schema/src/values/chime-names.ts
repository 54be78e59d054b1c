export const chimeNames = [
  'ask',
  'break_over',
  'chirp',
  'done',
  'error',
  'hello',
  'lullaby',
  'morning',
  'munch',
  'no',
  'start',
  'tada',
  'whee',
  'yawn',
  'yes',
] as const;
export type ChimeName = (typeof chimeNames)[number];
