/** Converts pointer and keyboard events on the drawn screen to touches in screen pixels. */
import { pixelAt } from '@perch/screen/own-screen';
import type { BrowserRobot } from '@perch/virtual-robot/browser';
import { useRef, useState, type KeyboardEvent, type PointerEvent, type SVGProps } from 'react';
import { screenHeight, screenWidth } from '../../drawing/screen.js';

export interface Finger {
  x: number;
  y: number;
  down: boolean;
  by: 'pointer' | 'keys';
}

const steps: Record<string, readonly [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const step = 10;
/**
 * The service takes a touch below 40 ms for a fault of a panel. The click of a touch pad or of a screen reader, and a key that a program presses, are as
 * short, and a person means them.
 */
const heldLeastMs = 80;

/** @param isHere whether touches reach the robot; a touch that has begun is ended in any case */
export function useScreenTouch(
  robot: BrowserRobot,
  isHere: boolean,
): { finger: Finger | null; screenProps: SVGProps<SVGGElement>; tap: (x: number, y: number) => void } {
  const [finger, setFinger] = useState<Finger | null>(null);
  /** Current touch. `since` is the event's timestamp, so that a busy page does not turn a short press into a long one. */
  const touch = useRef<{ x: number; y: number; since: number } | null>(null);

  const down = (x: number, y: number, by: Finger['by'], since: number): void => {
    touch.current = { x, y, since };
    robot.touchDown(x, y);
    setFinger({ x, y, down: true, by });
  };
  const move = (x: number, y: number): void => {
    if (touch.current) Object.assign(touch.current, { x, y });
    setFinger((before) => (before === null ? null : { ...before, x, y }));
  };
  const up = ({ timeStamp }: { timeStamp: number }): void => {
    if (!touch.current) return;
    const { x, y, since } = touch.current;
    touch.current = null;
    robot.touchUp(x, y, Math.max(heldLeastMs, timeStamp - since));
    setFinger((before) => (before?.by === 'keys' ? { ...before, down: false } : null));
  };

  return {
    finger,
    tap(x, y) {
      if (!isHere || touch.current) return;
      robot.touchDown(x, y);
      robot.touchUp(x, y, heldLeastMs);
    },
    screenProps: {
      role: 'application',
      tabIndex: 0,
      'aria-label': 'Touch screen',
      'aria-disabled': !isHere,
      'aria-describedby': 'screen-help',
      onPointerDown(event) {
        if (!isHere || event.button !== 0 || touch.current) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        down(...screenPoint(event), 'pointer', event.timeStamp);
      },
      onPointerMove(event) {
        if (touch.current) move(...screenPoint(event));
      },
      onPointerUp: up,
      onPointerCancel: up,
      onContextMenu: (event) => event.preventDefault(),
      onKeyDown(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const { x, y } = finger ?? { x: screenWidth / 2, y: screenHeight / 2 };
        const direction = steps[event.key];
        if (direction) {
          const by = event.shiftKey ? 1 : step;
          const [toX, toY] = screenPixel(x + direction[0] * by, y + direction[1] * by);
          if (touch.current) move(toX, toY);
          else setFinger({ x: toX, y: toY, down: false, by: 'keys' });
        } else if (isPress(event)) {
          if (isHere && !event.repeat && !touch.current) down(x, y, 'keys', event.timeStamp);
        } else return;
        event.preventDefault();
      },
      onKeyUp(event) {
        if (isPress(event)) up(event);
      },
      onFocus: (event) => {
        if (event.currentTarget.matches(':focus-visible'))
          setFinger((before) => before ?? { x: screenWidth / 2, y: screenHeight / 2, down: false, by: 'keys' });
      },
      onBlur: (event) => {
        up(event);
        setFinger(null);
      },
    },
  };
}

function isPress({ key }: KeyboardEvent): boolean {
  return key === 'Enter' || key === ' ';
}

function screenPoint({ currentTarget, clientX, clientY }: PointerEvent<SVGGElement>): [number, number] {
  const matrix = currentTarget.getScreenCTM();
  if (matrix === null) return [0, 0];
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
  return screenPixel(x, y);
}

function screenPixel(x: number, y: number): [number, number] {
  return [pixelAt(x, screenWidth), pixelAt(y, screenHeight)];
}
