/** The robot as it is now, drawn and in a few words. */
import type { ConsoleRobot, Twin } from '@perch/schema';
import { useLiveStatus } from '../../api/live.js';
import type { RobotLooks } from '../../twin/looks.js';
import { RobotFigure } from '../../twin/robot-figure.js';
import { Ago } from '../../ui/time/ago.js';
import { LinkButton } from '../../ui/controls/button.js';
import { Notice } from '../../ui/notice.js';
import { tellReading } from './readings/reading-name.js';

interface Props {
  id: string;
  robot: ConsoleRobot | null;
  twin: Twin;
  looks: RobotLooks;
  isPictureGone: boolean;
}

export function TwinPanel({ id, robot, twin, looks, isPictureGone }: Props) {
  const isLive = useLiveStatus() === 'live';
  return (
    <section className="twin-panel card" aria-label="The robot now">
      <div className="twin-head">
        <span className="twin-status" data-online={twin.online || undefined}>
          {twin.online ? 'Online' : 'Offline'}
        </span>
        <span className="field-hint">{isLive ? facts(twin, robot) : 'The connection is lost: this is how it was.'}</span>
      </div>
      <div className="twin-stage">
        <RobotFigure looks={looks} />
      </div>
      <dl className="twin-facts">
        <Fact name="Head" value={headOf(twin)} />
        <Fact name="LEDs" value={ledsOf(twin)} />
        <Fact name="Screen" value={screenOf(twin)} />
        <Fact name="Sound" value={twin.sound ? 'playing' : 'silent'} />
      </dl>
      {isPictureGone && (
        <Notice tone="info">
          A picture is up that went there more than a minute ago. The service keeps none longer, so it cannot be shown here.
        </Notice>
      )}
      {!twin.online && (
        <Notice
          tone="warn"
          action={
            robot?.virtual === true && (
              <LinkButton to={`/virtual/${id}`} small>
                Open it
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

function facts({ readings }: Twin, robot: ConsoleRobot | null): string {
  const battery = readings['battery_pct'];
  const parts = [robot?.model, robot?.firmware === '' ? undefined : `firmware ${robot?.firmware}`];
  if (typeof battery === 'number') parts.push(`battery ${tellReading('battery_pct', battery).text}`);
  return (robot === null ? parts.slice(2) : parts).filter(Boolean).join(' · ');
}

function offlineText(robot: ConsoleRobot | null): string {
  return robot?.virtual === true
    ? 'This virtual robot is on while its page is open in a browser.'
    : 'The robot is not connected: look whether it is on and in the Wi-Fi.';
}

function headOf({ head: { yaw, pitch, moving } }: Twin): string {
  if (yaw === null && pitch === null) return 'not known';
  const angles = [yaw === null ? '' : `yaw ${Math.round(yaw)}°`, pitch === null ? '' : `pitch ${Math.round(pitch)}°`].filter(Boolean).join(', ');
  return moving ? `${angles}, moving` : angles;
}

function ledsOf({ leds: { effect, pixels } }: Twin): string {
  if (effect !== null && effect.name !== 'off') return effect.name;
  if (pixels === null) return effect === null ? 'not known' : 'off';
  const [first, ...others] = pixels;
  if (others.some((each) => each !== first)) return 'single colours';
  return first === '#000000' ? 'off' : (first ?? 'off');
}

function screenOf({ showing: { question, card, view, emotion } }: Twin): string {
  if (question !== null) return 'a question';
  if (card !== null) return 'a card or picture';
  return view === 'readings' ? 'readings' : `face, ${emotion}`;
}
