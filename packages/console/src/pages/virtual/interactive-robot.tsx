import type { Reaction } from '@perch/screen/own-screen';
import type { ScreenAnswer } from '@perch/schema';
import type { BrowserRobot } from '@perch/virtual-robot/browser';
import { memo, useState, type Ref } from 'react';
import type { RobotLooks } from '../../drawing/looks.js';
import { fromTheFront, RobotFigure } from '../../drawing/robot-figure.js';
import type { Gesture } from '../../drawing/use-motion.js';
import { Button } from '../../ui/controls/button.js';
import { classes } from '../../ui/classes.js';
import { AnswerButtons } from './answer-buttons.js';
import { FingerMark } from './finger-mark.js';
import type { SoundPlayer } from './sound-player.js';
import { useHeadTouch } from './use-head-touch.js';
import { useScreenTouch } from './use-screen-touch.js';

export type Jolt = 'shake' | 'lift';

/** Head angles, degrees, from which on the button to change the view appears. */
const turnedFrom = { yaw: 35, pitch: 45 };

export interface InteractiveRobotProps {
  stage: Ref<HTMLElement>;
  /** How the last question ended; '' if it has not. The form of the question announces it to screen readers. */
  outcome: string;
  robot: BrowserRobot;
  isHere: boolean;
  player: SoundPlayer;
  looks: RobotLooks;
  /** Text of the question on the screen; null: no question, or an unknown text. Announced to screen readers. */
  asked: string | null;
  answers: readonly ScreenAnswer[];
  gesture: Gesture | null;
  reactions: readonly Reaction[];
  seed: string;
  jolt: Jolt | null;
  onSettled: () => void;
}

export const InteractiveRobot = memo(function InteractiveRobot({
  stage,
  outcome,
  robot,
  isHere,
  player,
  looks,
  asked,
  answers,
  gesture,
  reactions,
  seed,
  jolt,
  onSettled,
}: InteractiveRobotProps) {
  const { finger, screenProps, tap } = useScreenTouch(robot, isHere);
  const zoneProps = useHeadTouch(robot, isHere);
  const [walking, setWalking] = useState(false);
  const yaw = looks.head.yaw ?? 0;
  const pitch = looks.head.pitch ?? 0;
  const turned = Math.abs(yaw) >= turnedFrom.yaw || pitch >= turnedFrom.pitch;
  const from = walking ? { yaw, elevation: Math.min(52, Math.max(fromTheFront.elevation, pitch + 12)) } : fromTheFront;
  return (
    <section ref={stage} className="virtual-robot card" aria-label="The robot">
      <div
        className={classes('virtual-body', jolt !== null && `virtual-${jolt}`)}
        onAnimationEnd={({ target, currentTarget }) => target === currentTarget && onSettled()}
      >
        <RobotFigure
          looks={looks}
          gesture={gesture}
          reactions={reactions}
          seed={seed}
          from={from}
          screenProps={screenProps}
          zoneProps={zoneProps}
          overScreen={<FingerMark finger={finger} />}
          onScreen={<AnswerButtons answers={isHere ? answers : []} onTap={tap} />}
        />
      </div>
      {outcome !== '' && (
        <p className="virtual-outcome" aria-hidden="true">
          {outcome}
        </p>
      )}
      <p id="screen-help" className="sr-only">
        Use the arrow keys to move the finger; hold Shift to move it by one pixel. Press Enter or Space to touch, hold it for a long press, and move
        while holding it to slide.
      </p>
      <p className="sr-only" role="status">
        {asked === null ? '' : `The robot asks: ${asked}`}
      </p>
      <p className="sr-only" role="status">
        {finger?.by === 'keys' ? `Finger ${finger.down ? 'down' : 'up'} at ${finger.x}, ${finger.y}` : ''}
      </p>
      <div className="virtual-tools">
        {player.blocked ? (
          <Button small icon="sound" onPress={() => player.turnOn()}>
            Turn sound on
          </Button>
        ) : (
          <Button small icon={player.muted ? 'sound' : 'muted'} onPress={() => player.mute(!player.muted)}>
            {player.muted ? 'Unmute' : `Mute (volume ${Math.round(robot.volume)})`}
          </Button>
        )}
        {turned || walking ? (
          <Button small onPress={() => setWalking(!walking)}>
            {walking ? 'View from the front' : 'Follow the head'}
          </Button>
        ) : null}
      </div>
      <p className="virtual-unheard" role="status">
        {player.hasNoOutput && 'The browser does not turn sound on. Check that this device has speakers or headphones, and turn sound on again.'}
      </p>
      {player.blocked && looks.sound && !player.hasNoOutput ? (
        <p className="virtual-unheard">A sound is playing, but the browser blocks it until you turn sound on.</p>
      ) : null}
    </section>
  );
});
