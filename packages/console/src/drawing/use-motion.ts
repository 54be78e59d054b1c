/** Animation of the drawing: requests frames only while something moves, and none if the user prefers reduced motion. */
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';

const query = '(prefers-reduced-motion: reduce)';

export function useReducedMotion(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query);
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    () => matchMedia(query).matches,
  );
}

export interface Pose {
  /** The head, degrees. */
  yaw: number;
  pitch: number;
  /** Position of the viewer, degrees around the robot and above the table. */
  viewYaw: number;
  elevation: number;
}

/** A nod or a shake of the head; a new `count` starts a new one. */
export interface Gesture {
  name: string;
  count: number;
}

const degreesPerSecond: Pose = { yaw: 120, pitch: 120, viewYaw: 160, elevation: 160 };
const gestureMs = 900;

/** Moves to the target at the speed of the servos. @param isKnown false: the target is a guess; the first known pose is taken at once */
export function usePose(target: Pose, gesture: Gesture | null, isKnown: boolean): Pose {
  const still = useReducedMotion();
  const [pose, setPose] = useState(target);
  const [wasKnown, setKnown] = useState(isKnown);
  if (isKnown && !wasKnown) {
    setKnown(true);
    setPose(target);
  }
  // A gesture from before the component was mounted is not played.
  const begun = useRef({ count: gesture?.count ?? 0, at: -gestureMs });
  const { yaw, pitch, viewYaw, elevation } = target;
  useEffect(() => {
    const to: Pose = { yaw, pitch, viewYaw, elevation };
    if (still) return setPose(to);
    if (gesture && begun.current.count !== gesture.count) begun.current = { count: gesture.count, at: performance.now() };
    let last = performance.now();
    let resting = pose;
    let frame = requestAnimationFrame(function tick(now) {
      const seconds = Math.max(0, Math.min(now - last, 100)) / 1000;
      last = now;
      resting = stepped(resting, to, seconds);
      const swing = gesture ? swung(gesture.name, now - begun.current.at) : null;
      const next = swing === null ? resting : { ...resting, yaw: resting.yaw + swing.yaw, pitch: resting.pitch + swing.pitch };
      setPose((shown) => (samePose(shown, next) ? shown : next));
      if (swing !== null || !samePose(resting, to)) frame = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(frame);
    // `pose` is only the start of the movement; a change of it must not restart the movement.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [yaw, pitch, viewYaw, elevation, still, gesture]);
  return pose;
}

function stepped(from: Pose, to: Pose, seconds: number): Pose {
  const step = (name: keyof Pose): number => {
    const left = to[name] - from[name];
    return from[name] + Math.sign(left) * Math.min(Math.abs(left), degreesPerSecond[name] * seconds);
  };
  return { yaw: step('yaw'), pitch: step('pitch'), viewYaw: step('viewYaw'), elevation: step('elevation') };
}

function swung(name: string, ms: number): { yaw: number; pitch: number } | null {
  if (ms >= gestureMs || (name !== 'nod' && name !== 'shake')) return null;
  const swing = Math.sin((2 * Math.PI * 2 * ms) / gestureMs) * (1 - ms / gestureMs);
  return name === 'nod' ? { yaw: 0, pitch: 18 * swing } : { yaw: 26 * swing, pitch: 0 };
}

function samePose(a: Pose, b: Pose): boolean {
  return a.yaw === b.yaw && a.pitch === b.pitch && a.viewYaw === b.viewYaw && a.elevation === b.elevation;
}
