import type { Reaction } from '@perch/screen/own-screen';
import { useId, type ReactNode, type SVGProps } from 'react';
import { descriptionOf } from './description.js';
import { Leds } from './leds.js';
import { useLiveDrawing } from './live/use-live-drawing.js';
import type { RobotLooks } from './looks.js';
import { emotionShown, isFaceUncovered, OverFace, screenHeight, screenWidth } from './screen.js';
import {
  base,
  baseTopPlane,
  facePlace,
  frontPlane,
  headAt,
  ledsPlace,
  lift,
  post,
  screenTransform,
  topPlane,
  viewBox,
  zoneBox,
  zones,
} from './shape.js';
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
  reactions?: readonly Reaction[];
  /** The robot's id: each robot blinks at its own times. */
  seed?: string;
  /** Position of the viewer, degrees. */
  from?: { yaw: number; elevation: number };
  /** These make the drawing a `group` instead of an `img`. */
  screenProps?: SVGProps<SVGGElement>;
  overScreen?: ReactNode;
  /** Beside the screen's own element, and over it. */
  onScreen?: ReactNode;
  /** Handlers of a head zone: 0 front, 1 middle, 2 back. */
  zoneProps?: (zone: number) => SVGProps<SVGRectElement>;
}

const noReactions: readonly Reaction[] = [];
const noLeds = { pixels: null, effect: null };
const box = `${viewBox.x} ${viewBox.y} ${viewBox.width} ${viewBox.height}`;

/**
 * Three layers of SVG, which change rarely, and between them canvases for the light of the LEDs and for the face, which a worker animates: changing
 * SVG at each frame took a third of the main thread.
 */
export function RobotFigure({
  looks,
  gesture = null,
  reactions = noReactions,
  seed = '',
  from = fromTheFront,
  screenProps,
  overScreen,
  onScreen,
  zoneProps,
}: RobotFigureProps) {
  const target = { yaw: looks.head.yaw ?? 0, pitch: looks.head.pitch ?? 10, viewYaw: from.yaw, elevation: from.elevation };
  const pose = usePose(target, gesture, looks.head.yaw !== null);
  const viewer = new Viewer(pose.viewYaw, pose.elevation);
  const head = headAt(pose.yaw, pose.pitch);
  const isFrontSeen = viewer.facing(head.axes.ahead) > 0.03;
  const isTopSeen = viewer.facing(head.axes.up) > 0.03;
  const isFaceShown = isFrontSeen && isFaceUncovered(looks);
  const { figure, face, leds } = useLiveDrawing(seed, { looks, reactions, isFaceShown });
  const raised = lift(pose.elevation);
  const place = `translate(0 ${raised})`;
  const soft = useId();
  return (
    <div ref={figure} className={`robot-figure ${looks.online ? '' : 'robot-offline'}`}>
      <svg viewBox={box} aria-hidden="true">
        {/* Not by CSS, whose filters WebKit applies to a whole SVG but not to a part of it. */}
        <defs>
          <Blur id={`${soft}outer`} by={14} />
          <Blur id={`${soft}inner`} by={10} />
        </defs>
        <g transform={place}>
          <ellipse
            className="robot-shadow"
            filter={`url(#${soft}outer)`}
            cx={0}
            cy={18}
            rx={212}
            ry={12 + 160 * Math.sin((pose.elevation * Math.PI) / 180)}
          />
          <Solid block={base} viewer={viewer} color="var(--robot-base)" />
          <g transform={baseTopPlane(viewer)}>
            <ellipse className="robot-shadow-inner" filter={`url(#${soft}inner)`} cx={0} cy={8} rx={142} ry={92} />
            <Leds leds={looks.online ? looks.leds : noLeds} />
          </g>
        </g>
      </svg>
      <div ref={leds} className="robot-plane" style={ledsPlace(viewer, raised)} />
      <svg viewBox={box} aria-hidden="true">
        <g transform={place}>
          <Solid block={post} viewer={viewer} color="var(--robot-post)" />
          <Solid block={head} viewer={viewer} color="var(--robot-shell)" />
          {isFrontSeen ? (
            <g transform={frontPlane(viewer, head)}>
              <rect className="robot-glass" x={-136} y={-106} width={272} height={212} rx={34} />
              <circle className="robot-camera" cx={0} cy={-100.5} r={2.4} />
              {looks.powerLed === true && looks.online ? <circle className="robot-power-led" cx={112} cy={101} r={2.2} /> : null}
              <rect className="screen-ground" width={screenWidth} height={screenHeight} transform={screenTransform} />
            </g>
          ) : null}
        </g>
      </svg>
      <div ref={face} className="robot-plane face" data-emotion={emotionShown(looks)} style={facePlace(viewer, head, raised)} hidden={!isFaceShown} />
      <svg viewBox={box} role={screenProps ? 'group' : 'img'} aria-label={descriptionOf(looks)}>
        <g transform={place}>
          {isTopSeen ? (
            <g transform={topPlane(viewer, head)}>
              {zones.map((name, zone) => (
                <rect key={name} className="head-zone" data-zone={name} {...zoneBox(zone)} rx={12} {...zoneProps?.(zone)} />
              ))}
            </g>
          ) : null}
          {isFrontSeen ? (
            <g transform={frontPlane(viewer, head)}>
              <g transform={screenTransform}>
                <g className="robot-glass-touch" {...screenProps}>
                  <rect className="screen-touch" width={screenWidth} height={screenHeight} />
                  <OverFace looks={looks} />
                  {overScreen}
                  <rect className="screen-edge" width={screenWidth} height={screenHeight} rx={4} />
                </g>
                {onScreen}
              </g>
            </g>
          ) : null}
        </g>
        {looks.sound && looks.online ? <SoundSign /> : null}
      </svg>
    </div>
  );
}

function Blur({ id, by }: { id: string; by: number }) {
  return (
    <filter id={id} x="-50%" y="-100%" width="200%" height="300%">
      <feGaussianBlur stdDeviation={by} />
    </filter>
  );
}
