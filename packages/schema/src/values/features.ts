/** Features of a robot: the parts that actions need, and abilities of its program. */
export const features = [
  'screen',
  'touch',
  'face',
  'bubble',
  'head',
  'leds',
  'speaker',
  'bubble_picture',
  'move_duration',
  'open_sound',
  'lights_questions',
] as const;
export type Feature = (typeof features)[number];

/** Returns those that this release knows, in its order: a robot may name any. */
export function listedFeatures(reported: readonly string[]): Feature[] {
  return features.filter((feature) => reported.includes(feature));
}
