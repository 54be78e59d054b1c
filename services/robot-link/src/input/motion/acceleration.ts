/** Acceleration in g as the sensor measures it: 1 g upwards at rest, in any orientation of its axes. */
export type Sample = readonly [x: number, y: number, z: number];

export function meanOf(samples: readonly Sample[]): [number, number, number] {
  const mean: [number, number, number] = [0, 0, 0];
  for (const [x, y, z] of samples) {
    mean[0] += x / samples.length;
    mean[1] += y / samples.length;
    mean[2] += z / samples.length;
  }
  return mean;
}

export function downsampled(samples: readonly Sample[], every: number): readonly Sample[] {
  if (every === 1) return samples;
  const thin: Sample[] = [];
  for (let i = 0; i + every <= samples.length; i += every) thin.push(meanOf(samples.slice(i, i + every)));
  return thin;
}
