import type { BrowserRobot } from '@perch/virtual-robot/browser';
import { useRef, type SVGProps } from 'react';
import { zones } from '../../drawing/shape.js';

/** @param isHere whether touches reach the robot; a touch that has begun is ended in any case */
export function useHeadTouch(robot: BrowserRobot, isHere: boolean): (zone: number) => SVGProps<SVGRectElement> {
  const touch = useRef<{ began: number; zone: number; since: number; swiped: boolean } | null>(null);
  const up = ({ timeStamp }: { timeStamp: number }): void => {
    if (!touch.current) return;
    const { zone, since } = touch.current;
    touch.current = null;
    robot.headUp(zone, timeStamp - since);
  };
  return (zone) => ({
    onPointerDown(event) {
      if (!isHere || event.button !== 0 || touch.current) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      touch.current = { began: zone, zone, since: event.timeStamp, swiped: false };
      robot.headDown(zone);
    },
    onPointerMove({ clientX, clientY }) {
      const now = touch.current;
      const over = document.elementFromPoint(clientX, clientY)?.getAttribute('data-zone');
      const at = zones.findIndex((name) => name === over);
      if (!now || at < 0 || at === now.zone) return;
      now.zone = at;
      if (now.swiped || at === now.began) return;
      now.swiped = true;
      robot.headSwipe(at, at > now.began ? 'back' : 'forward');
    },
    onPointerUp: up,
    onPointerCancel: up,
    onContextMenu: (event) => event.preventDefault(),
  });
}
