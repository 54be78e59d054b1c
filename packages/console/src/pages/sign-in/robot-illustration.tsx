import { lazy, Suspense, useEffect, useState } from 'react';
import type { RobotLooks } from '../../drawing/looks.js';
import './robot-illustration.css';

const RobotFigure = lazy(async () => ({ default: (await import('../../drawing/robot-figure.js')).RobotFigure }));

/** Faint light, as LED duties. */
const glow = '#03040f';
const looks: RobotLooks = {
  online: true,
  emotion: 'happy',
  view: 'face',
  picture: null,
  bubble: null,
  head: { yaw: 0, pitch: 14 },
  leds: { pixels: Array.from({ length: 12 }, () => glow), effect: null },
  sound: false,
  readings: {},
};

const glances = [
  { yaw: 0, pitch: 14 },
  { yaw: 24, pitch: 18 },
  { yaw: 6, pitch: 10 },
  { yaw: -26, pitch: 16 },
];
const glanceMs = 3800;

export function RobotIllustration() {
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const timer = setInterval(() => setAt((before) => (before + 1) % glances.length), glanceMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className="robot-illustration" aria-hidden="true">
      <Suspense fallback={null}>
        <RobotFigure looks={{ ...looks, head: glances[at]! }} />
      </Suspense>
    </div>
  );
}
