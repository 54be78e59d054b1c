/** Draws values from left to right; missing ones leave a gap. @param spanMin minimum range of the full height, so that noise is not magnified */
export function sparklinePath(values: readonly (number | null)[], w: number, h: number, spanMin = 0): string {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return '';
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const span = Math.max(high - low, spanMin) || 1;
  const middle = (low + high) / 2;
  const parts: string[] = [];
  let pen = 'M';
  for (const [at, value] of values.entries()) {
    if (value === null) {
      pen = 'M';
      continue;
    }
    const x = (at / (values.length - 1)) * w;
    const y = h / 2 - ((value - middle) / span) * h;
    parts.push(`${pen}${round(x)} ${round(y)}`);
    pen = 'L';
  }
  return parts.join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
