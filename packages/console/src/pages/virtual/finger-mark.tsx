/** Marks the position of the finger on the screen: a ring while the keyboard moves it, filled while it touches. */
import type { Finger } from './use-screen-touch.js';

export function FingerMark({ finger }: { finger: Finger | null }) {
  if (finger === null) return null;
  const { x, y, down } = finger;
  return (
    <g className={down ? 'finger finger-down' : 'finger'} transform={`translate(${x} ${y})`} aria-hidden="true">
      <circle className="finger-halo" r={down ? 17 : 14} />
      <circle className="finger-ring" r={down ? 17 : 14} />
    </g>
  );
}
