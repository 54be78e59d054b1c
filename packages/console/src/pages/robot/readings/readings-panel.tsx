import { Fragment, memo, type ReactNode, useState } from 'react';
import { classes } from '../../../ui/classes.js';
import { timeOfDay } from '../time-of-day.js';
import { readingGroups } from './reading-groups.js';
import { emptyHistory, type Readings, withReadings } from './reading-history.js';
import { formatReading } from './reading-format.js';
import { Sparkline } from './sparkline.js';
import './readings.css';

/** A value of up to so many characters, such as an IPv4 address, stays on one line. */
const shortCharsMax = 15;

export const ReadingsPanel = memo(function ReadingsPanel({ readings, at }: { readings: Readings; at: string | null }) {
  const [history, setHistory] = useState(emptyHistory);
  const next = withReadings(history, readings, at);
  if (next !== history) setHistory(next);

  const known = new Set(readingGroups.flatMap(({ names }) => names));
  const others = Object.keys(readings).filter((name) => !known.has(name));
  const groups = [...readingGroups, { title: 'Others', names: others }]
    .map(({ title, names }) => ({ title, names: names.filter((name) => readings[name] !== undefined) }))
    .filter(({ names }) => names.length > 0);
  return (
    <section className="readings card" aria-labelledby="readings-title">
      <div className="readings-head">
        <h2 id="readings-title">Readings</h2>
        <span className="field-hint">
          {at === null ? 'No readings yet. A robot reports them every two seconds.' : <time dateTime={at}>{timeOfDay(Date.parse(at))}</time>}
        </span>
      </div>
      <div className="readings-groups">
        {groups.map(({ title, names }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {names.map((name) => (
                <Reading key={name} name={name} value={readings[name]!} line={next.lines[name] ?? []} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </section>
  );
});

function Reading({ name, value, line }: { name: string; value: Readings[string]; line: readonly (number | null)[] }) {
  const { label, text } = formatReading(name, value);
  return (
    <div className="reading">
      <Name label={label} name={name} />
      <dd>
        {hasSparkline(name) && <Sparkline values={line} spanMin={spanMin(name)} />}
        <span className={classes('reading-value', text.length <= shortCharsMax && 'reading-short')}>{text}</span>
      </dd>
    </div>
  );
}

const Name = memo(function Name({ label, name }: { label: string; name: string }) {
  return (
    <dt>
      {label} <code className="reading-name">{breakable(name)}</code>
    </dt>
  );
});

/** Lets a name break after an underscore. */
function breakable(name: string): ReactNode {
  return name.split('_').map((part, index) => (
    <Fragment key={index}>
      {index > 0 && (
        <>
          _<wbr />
        </>
      )}
      {part}
    </Fragment>
  ));
}

/** Excludes times, which increase steadily. */
function hasSparkline(name: string): boolean {
  return !/_s$|^utc_/.test(name);
}

/** In the unit of the reading. */
function spanMin(name: string): number {
  return /_(g|v)$/.test(name) ? 0.1 : /_(pct|deg|c)$/.test(name) ? 2 : 1;
}
