import { sparklinePath } from './sparkline-path.js';

const [w, h] = [96, 24];

export function Sparkline({ values, spanMin }: { values: readonly (number | null)[]; spanMin: number }) {
  return (
    <svg className="sparkline" viewBox={`-1 -2 ${w + 2} ${h + 4}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={sparklinePath(values, w, h, spanMin)} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
