import type { ReactNode, SVGProps } from 'react';
import { descriptionOf } from './description.js';
import { Leds } from './leds.js';
import type { RobotLooks } from './looks.js';
import { ScreenContents, screenHeight, screenWidth } from './screen.js';
import { base, baseTopPlane, frontPlane, headAt, post, lift, screenTransform, topPlane, viewBox, zoneBox, zones } from './shape.js';
import { Viewer } from './solid.js';
import { Solid } from './solid-parts.js';
import { SoundSign } from './sound-sign.js';
import { usePose, type Gesture } from './use-motion.js';
import './drawing.css';

/** View from which the head, at rest, almost faces the viewer. */
export const fromTheFront = { yaw: 0, elevation: 28 };

export interface RobotFigureProps {
  looks: RobotLooks;
  gesture?: Gesture | null;
  /** Position of the viewer, degrees. */
  from?: { yaw: number; elevation: number };
  /** Event handlers of the touch screen; they make the drawing a `group` instead of an `img`. */
  screenProps?: SVGProps<SVGGElement>;
  /** Drawn over the screen, in screen pixels. */
  overScreen?: ReactNode;
  /** Event handlers of a head zone: 0 front, 1 middle, 2 back. */
  zoneProps?: (zone: number) => SVGProps<SVGRectElement>;
  /** Drawn next to the robot, in drawing units. */
  beside?: ReactNode;
  className?: string;
}

export function RobotFigure({
  looks,
  gesture = null,
  from = fromTheFront,
  screenProps,
  overScreen,
  zoneProps,
  beside,
  className = '',
}: RobotFigureProps) {
  const target = { yaw: looks.head.yaw ?? 0, pitch: looks.head.pitch ?? 10, viewYaw: from.yaw, elevation: from.elevation };
  const pose = usePose(target, gesture);
  const viewer = new Viewer(pose.viewYaw, pose.elevation);
  const head = headAt(pose.yaw, pose.pitch);
  const isFaceSeen = viewer.facing(head.axes.ahead) > 0.03;
  const isTopSeen = viewer.facing(head.axes.up) > 0.03;
  return (
    <svg
      className={`robot-figure ${looks.online ? '' : 'robot-offline'} ${className}`}
      viewBox={`${viewBox.x} ${viewBox.y} ${viewBox.width} ${viewBox.height}`}
      role={screenProps ? 'group' : 'img'}
      aria-label={descriptionOf(looks)}
    >
      <g className="robot-body" transform={`translate(0 ${lift(pose.elevation)})`}>
        <ellipse className="robot-shadow" cx={0} cy={18} rx={212} ry={12 + 160 * Math.sin((pose.elevation * Math.PI) / 180)} />
        <Solid block={base} viewer={viewer} color="var(--robot-base)" />
        <g transform={baseTopPlane(viewer)}>
          <ellipse className="robot-shadow-inner" cx={0} cy={8} rx={142} ry={92} />
          <Leds leds={looks.leds} on={looks.online} />
        </g>
        <Solid block={post} viewer={viewer} color="var(--robot-post)" />
        <Solid block={head} viewer={viewer} color="var(--robot-shell)">
          {isTopSeen ? (
            <g transform={topPlane(viewer, head)}>
              {zones.map((name, zone) => (
                <rect key={name} className="head-zone" data-zone={name} {...zoneBox(zone)} rx={12} {...zoneProps?.(zone)} />
              ))}
            </g>
          ) : null}
          {isFaceSeen ? (
            <g transform={frontPlane(viewer, head)}>
              <rect className="robot-glass" x={-136} y={-106} width={272} height={212} rx={34} />
              <circle className="robot-camera" cx={0} cy={-100.5} r={2.4} />
              {looks.powerLed === true && looks.online ? <circle className="robot-power-led" cx={112} cy={101} r={2.2} /> : null}
              <g transform={screenTransform}>
                <g className="robot-glass-touch" {...screenProps}>
                  <ScreenContents looks={looks} />
                  {overScreen}
                  <rect className="screen-edge" width={screenWidth} height={screenHeight} rx={4} />
                </g>
              </g>
            </g>
          ) : null}
        </Solid>
      </g>
      {looks.sound && looks.online ? <SoundSign /> : null}
      {beside}
    </svg>
  );
}
