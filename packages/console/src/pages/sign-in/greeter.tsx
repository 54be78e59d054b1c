/** The robot, drawn as everywhere, that looks about a little: before there is one to show. Nothing is told by it. */
import { lazy, Suspense, useEffect, useState } from 'react';
import type { RobotLooks } from '../../twin/looks.js';
import './greeter.css';

const RobotFigure = lazy(async () => ({ default: (await import('../../twin/robot-figure.js')).RobotFigure }));

/** Faint, as duties of the LEDs. */
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

/** Where it looks, one after the other, degrees. */
const glances = [
  { yaw: 0, pitch: 14 },
  { yaw: 24, pitch: 18 },
  { yaw: 6, pitch: 10 },
  { yaw: -26, pitch: 16 },
];
const glanceMs = 3800;

export function Greeter() {
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const timer = setInterval(() => setAt((before) => (before + 1) % glances.length), glanceMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className="greeter" aria-hidden="true">
      <Suspense fallback={null}>
        <RobotFigure looks={{ ...looks, head: glances[at]! }} />
      </Suspense>
    </div>
  );
}
