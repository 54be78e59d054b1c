/** The robot to touch, and beside it where one stands and whether it can be heard. */
import type { BrowserRobot } from '@perch/virtual-robot/browser';
import { useState } from 'react';
import type { RobotLooks } from '../../twin/looks.js';
import { fromTheFront, RobotFigure } from '../../twin/robot-figure.js';
import type { Gesture } from '../../twin/use-motion.js';
import { Button } from '../../ui/controls/button.js';
import { classes } from '../../ui/classes.js';
import { FingerMark } from './finger-mark.js';
import type { Jolt } from './robot.js';
import type { SoundPlayer } from './sound-player.js';
import { useHeadTouch } from './use-head-touch.js';
import { useScreenTouch } from './use-screen-touch.js';

/** From here on, degrees, its face is better seen from where it looks. */
const turnedFrom = { yaw: 35, pitch: 45 };

export interface StageProps {
  robot: BrowserRobot;
  /** Whether hands reach it. */
  isHere: boolean;
  player: SoundPlayer;
  looks: RobotLooks;
  gesture: Gesture | null;
  jolt: Jolt | null;
  /** The movement was shown. */
  onSettled: () => void;
}

export function Stage({ robot, isHere, player, looks, gesture, jolt, onSettled }: StageProps) {
  const { finger, screenProps } = useScreenTouch(robot, isHere);
  const zoneProps = useHeadTouch(robot, isHere);
  const [walking, setWalking] = useState(false);
  const yaw = looks.head.yaw ?? 0;
  const pitch = looks.head.pitch ?? 0;
  const turned = Math.abs(yaw) >= turnedFrom.yaw || pitch >= turnedFrom.pitch;
  const from = walking ? { yaw, elevation: Math.min(52, Math.max(fromTheFront.elevation, pitch + 12)) } : fromTheFront;
  return (
    <section className="virtual-robot card" aria-label="The robot">
      <div
        className={classes('virtual-body', jolt !== null && `virtual-${jolt}`)}
        onAnimationEnd={({ target, currentTarget }) => target === currentTarget && onSettled()}
      >
        <RobotFigure
          looks={looks}
          gesture={gesture}
          from={from}
          screenProps={screenProps}
          zoneProps={zoneProps}
          overScreen={<FingerMark finger={finger} />}
        />
      </div>
      <p id="screen-help" className="sr-only">
        The arrow keys move the finger, with Shift by one pixel. Hold Enter or Space to touch, longer for a long press; move while you hold to slide.
      </p>
      <p className="sr-only" role="status">
        {finger?.by === 'keys' ? `Finger ${finger.down ? 'down' : 'up'} at ${finger.x}, ${finger.y}` : ''}
      </p>
      <div className="virtual-tools">
        {player.blocked ? (
          <Button small icon="bolt" onPress={() => void player.unlock()}>
            Turn its sound on
          </Button>
        ) : (
          <Button small onPress={() => player.mute(!player.muted)}>
            {player.muted ? 'Sound is off: turn it on' : `Sound is on, volume ${Math.round(robot.volume)}: mute`}
          </Button>
        )}
        {turned || walking ? (
          <Button small onPress={() => setWalking(!walking)}>
            {walking ? 'Stand in front of it' : 'Go to where it looks'}
          </Button>
        ) : null}
      </div>
      {player.blocked && looks.sound ? (
        <p className="virtual-unheard">It plays a sound that you cannot hear yet: browsers wait for a press.</p>
      ) : null}
    </section>
  );
}
