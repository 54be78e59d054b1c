import type { EarlierScreen } from '@perch/schema';
import { useState } from 'react';
import { useEarlierScreens } from '../../../api/earlier-screens.js';
import { classes } from '../../../ui/classes.js';
import { Failed, Loading } from '../../../ui/shell/page.js';
import { Ago } from '../../../ui/time/ago.js';
import { ScreenDialog } from './screen-dialog.js';
import { ScreenPicture } from './screen-picture.js';
import { callerOf, kindLabels, outcomeOf } from './screen-words.js';
import './screens.css';

export interface EarlierScreensProps {
  robot: string;
  /** Called with what the user wants to have in the playground. */
  onTry(action: string, args: Record<string, unknown>): void;
}

export default function EarlierScreens({ robot, onTry }: EarlierScreensProps) {
  const { data, error, refetch } = useEarlierScreens(robot);
  const [opened, setOpened] = useState<EarlierScreen | null>(null);
  if (data === undefined) {
    return error === null ? <Loading label="Loading the earlier screens" lines={1} /> : <Failed error={error} onRetry={() => void refetch()} />;
  }
  if (data.screens.length === 0)
    return <p className="muted">Cards and questions appear here once the robot has shown one: the last 20, for 30 days.</p>;
  return (
    <>
      <ul className="earlier-screens" aria-label="Earlier screens, newest first">
        {data.screens.map((screen) => (
          <li key={screen.id}>
            <Thumbnail robot={robot} screen={screen} onOpen={() => setOpened(screen)} />
          </li>
        ))}
      </ul>
      {opened !== null && (
        <ScreenDialog
          robot={robot}
          screen={opened}
          onTry={(action, args) => {
            setOpened(null);
            onTry(action, args);
          }}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}

function Thumbnail({ robot, screen, onOpen }: { robot: string; screen: EarlierScreen; onOpen: () => void }) {
  const { label, tone } = outcomeOf(screen);
  return (
    <button type="button" className="earlier-screen" onClick={onOpen}>
      <ScreenPicture robot={robot} screen={screen} />
      <span className="earlier-kind">
        {kindLabels[screen.action]} <span className={classes('earlier-outcome', `earlier-${tone}`)}>{label}</span>
      </span>
      <span className="earlier-who">
        <Ago at={screen.at} /> · {callerOf(screen)}
      </span>
    </button>
  );
}
