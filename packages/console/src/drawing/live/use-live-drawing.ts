import { timings, type Look, type Reaction } from '@perch/screen/own-screen';
import { useEffect, useRef, useState, type RefObject } from 'react';
import type { RobotLooks } from '../looks.js';
import { useReducedMotion } from '../use-motion.js';
import { LiveDrawing } from './live-drawing.js';
import { RobotLife } from './robot-life.js';
import { liveMs } from './scene.js';

export interface LiveHosts {
  figure: RefObject<HTMLDivElement | null>;
  face: RefObject<HTMLDivElement | null>;
  leds: RefObject<HTMLDivElement | null>;
}

interface Shown {
  looks: RobotLooks;
  reactions: readonly Reaction[];
  isFaceShown: boolean;
}

/** Animates face and LEDs in the elements of the returned references. @param seed robots with different ones move at different times */
export function useLiveDrawing(seed: string, { looks, reactions, isFaceShown }: Shown): LiveHosts {
  const isStill = useReducedMotion();
  const hosts: LiveHosts = { figure: useRef(null), face: useRef(null), leds: useRef(null) };
  const { figure, face, leds } = hosts;
  const [life] = useState(() => new RobotLife(seed, looks));
  const drawing = useRef<LiveDrawing | null>(null);
  const show = useRef<() => void>(() => undefined);

  useEffect(() => {
    const live = new LiveDrawing(figure.current!, { face: face.current!, leds: leds.current! });
    drawing.current = live;
    show.current();
    return () => {
      drawing.current = null;
      live.end();
    };
  }, [figure, face, leds]);

  useEffect(() => {
    life.update(looks, reactions, liveMs());
    show.current = () => drawing.current?.show({ life: life.now, isFaceShown, leds: looks.online ? looks.leds : null, isStill });
    show.current();
  }, [life, looks, reactions, isFaceShown, isStill]);

  useEffect(() => {
    if (isStill || !isFaceShown || !looks.online) return;
    return followPointer(figure.current!, (look) => {
      life.look(look, liveMs());
      show.current();
    });
  }, [figure, life, isStill, isFaceShown, looks.online]);
  return hosts;
}

/** Reports where the pointer is relative to the figure, as long as it moves, and null some time later. */
function followPointer(figure: Element, report: (look: Look) => void): () => void {
  let last = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const share = (distance: number, range: number): number => Math.min(1, Math.max(-1, distance / range));
  const moved = ({ clientX, clientY, timeStamp }: PointerEvent): void => {
    if (timeStamp - last < timings.pointer.every) return;
    last = timeStamp;
    const { left, top, width, height } = figure.getBoundingClientRect();
    report({ x: share(clientX - left - width / 2, width), y: share(clientY - top - 0.4 * height, height) });
    clearTimeout(timer);
    timer = setTimeout(() => report(null), timings.pointer.hold);
  };
  window.addEventListener('pointermove', moved, { passive: true });
  return () => {
    window.removeEventListener('pointermove', moved);
    clearTimeout(timer);
  };
}
