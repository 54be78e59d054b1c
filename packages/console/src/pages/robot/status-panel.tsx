import type { ConsoleRobot, RobotSnapshot } from '@perch/schema';
import { useLiveStatus } from '../../api/live.js';
import type { RobotLooks } from '../../drawing/looks.js';
import { RobotFigure } from '../../drawing/robot-figure.js';
import { Ago } from '../../ui/time/ago.js';
import { LinkButton } from '../../ui/controls/button.js';
import { Notice } from '../../ui/notice.js';
import { formatReading } from './readings/reading-format.js';

interface Props {
  id: string;
  robot: ConsoleRobot | null;
  snapshot: RobotSnapshot;
  looks: RobotLooks;
  isPictureGone: boolean;
}

export function StatusPanel({ id, robot, snapshot, looks, isPictureGone }: Props) {
  const isLive = useLiveStatus() === 'live';
  return (
    <section className="snapshot-panel card" aria-label="The robot now">
      <div className="snapshot-head">
        <span className="snapshot-status" data-online={snapshot.online || undefined}>
          {snapshot.online ? 'Online' : 'Offline'}
        </span>
        <span className="field-hint">{isLive ? facts(snapshot, robot) : 'The connection is lost; this is the last known state.'}</span>
      </div>
      <div className="snapshot-stage">
        <RobotFigure looks={looks} />
      </div>
      <dl className="snapshot-facts">
        <Fact name="Head" value={headOf(snapshot)} />
        <Fact name="LEDs" value={ledsOf(snapshot)} />
        <Fact name="Screen" value={screenOf(snapshot)} />
        <Fact name="Sound" value={snapshot.sound ? 'playing' : 'silent'} />
      </dl>
      {isPictureGone && (
        <Notice tone="info">
          The robot shows a picture that was sent more than a minute ago. The service keeps pictures for a minute, so it cannot be shown here.
        </Notice>
      )}
      {!snapshot.online && (
        <Notice
          tone="warn"
          action={
            robot?.virtual === true && (
              <LinkButton to={`/virtual/${id}`} small>
                Open its page
              </LinkButton>
            )
          }
        >
          {offlineText(robot)}{' '}
          {typeof robot?.last_seen === 'string' && (
            <>
              Last seen <Ago at={robot.last_seen} />.
            </>
          )}
        </Notice>
      )}
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function facts({ readings }: RobotSnapshot, robot: ConsoleRobot | null): string {
  const battery = readings['battery_pct'];
  const parts = [robot?.model, robot?.firmware === '' ? undefined : `firmware ${robot?.firmware}`];
  if (typeof battery === 'number') parts.push(`battery ${formatReading('battery_pct', battery).text}`);
  return (robot === null ? parts.slice(2) : parts).filter(Boolean).join(' · ');
}

function offlineText(robot: ConsoleRobot | null): string {
  return robot?.virtual === true
    ? 'This virtual robot runs while its page is open in a browser.'
    : 'The robot is not connected. Check that it is switched on and connected to Wi-Fi.';
}

function headOf({ head: { yaw, pitch, moving } }: RobotSnapshot): string {
  if (yaw === null && pitch === null) return 'unknown';
  const angles = [yaw === null ? '' : `yaw ${Math.round(yaw)}°`, pitch === null ? '' : `pitch ${Math.round(pitch)}°`].filter(Boolean).join(', ');
  return moving ? `${angles}, moving` : angles;
}

function ledsOf({ leds: { effect, pixels } }: RobotSnapshot): string {
  if (effect !== null && effect.name !== 'off') return effect.name;
  if (pixels === null) return effect === null ? 'unknown' : 'off';
  const [first, ...others] = pixels;
  if (others.some((each) => each !== first)) return 'single colours';
  return first === '#000000' ? 'off' : (first ?? 'off');
}

function screenOf({ showing: { question, card, view, emotion } }: RobotSnapshot): string {
  if (question !== null) return 'a question';
  if (card !== null) return 'a card or picture';
  return view === 'readings' ? 'readings' : `face, ${emotion}`;
}
