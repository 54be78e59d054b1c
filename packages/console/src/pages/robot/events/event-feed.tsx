import type { RobotEvent } from '@perch/schema';
import { memo, useState } from 'react';
import type { RobotEvents } from '../../../api/live/robot-events.js';
import { timeOfDay } from '../time-of-day.js';
import { eventKinds } from './event-kinds.js';
import { type EventRun, eventRuns } from './event-runs.js';
import { formatData } from './event-data.js';
import './events.css';

interface Props {
  /** Oldest first. */
  events: readonly RobotEvent[];
  gap: RobotEvents['gap'];
}

export const EventFeed = memo(function EventFeed({ events, gap }: Props) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = events.filter(({ name }) => !hidden.has(kindOf(name))).toReversed();
  return (
    <section className="events card" aria-labelledby="events-title">
      <div className="events-head">
        <h2 id="events-title">Events</h2>
        <details className="event-kinds">
          <summary>{hidden.size === 0 ? 'All kinds' : `${eventKinds.length - hidden.size} of ${eventKinds.length} kinds`}</summary>
          <div className="chips" role="group" aria-label="Kinds of events to show">
            {eventKinds.map(({ title }) => (
              <button
                key={title}
                type="button"
                className="chip"
                aria-pressed={!hidden.has(title)}
                onClick={() => setHidden((now) => toggled(now, title))}
              >
                {title}
              </button>
            ))}
          </div>
        </details>
      </div>
      <div className="event-list" role="log" aria-label="Events, newest first" tabIndex={0}>
        {shown.length === 0 && (
          <p className="field-hint">
            {events.length === 0 ? 'No events yet. Touch the robot, pat its head or shake it.' : 'No events of the selected kinds.'}
          </p>
        )}
        <ol>
          {eventRuns(shown, gap?.seq ?? null).map((run) => (
            <li key={run.first.seq}>
              <Run run={run} />
              {gap?.seq === run.first.seq && <p className="field-hint">{gap.dropped ? droppedText : lostText}</p>}
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
});

const droppedText = 'Earlier events are no longer stored.';
const lostText = 'Event numbers jumped here: the storage may have lost earlier events.';

function Run({ run: { event, first, count } }: { run: EventRun }) {
  const { seq, name, data, at } = event;
  return (
    <p className="event">
      <time dateTime={at}>{timeOfDay(Date.parse(at))}</time>
      <code className="event-name">{name}</code>
      <span className="event-data">
        {formatData(data)}
        {count > 1 && (
          <>
            {' '}
            {count} times since <time dateTime={first.at}>{timeOfDay(Date.parse(first.at))}</time>
          </>
        )}
      </span>
      <span className="event-seq">{count > 1 ? `${first.seq}–${seq}` : seq}</span>
    </p>
  );
}

function kindOf(name: string): string {
  return eventKinds.find(({ names }) => (names as readonly string[]).includes(name))?.title ?? '';
}

function toggled(set: ReadonlySet<string>, entry: string): ReadonlySet<string> {
  return set.has(entry) ? new Set([...set].filter((each) => each !== entry)) : new Set([...set, entry]);
}
