import type { KeyUsageView } from '@perch/schema';
import { useUsage } from '../../api/activity.js';
import { Empty, Failed, Loading } from '../../ui/shell/page.js';
import { lazily } from '../../ui/formats/lazily.js';
import { durationText } from './activity-words.js';

const dayFormat = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone: 'UTC' }));

export function Usage() {
  const usage = useUsage();
  if (usage.data === undefined)
    return usage.error ? <Failed error={usage.error} onRetry={() => void usage.refetch()} /> : <Loading label="Loading the usage" lines={2} />;
  const { days } = usage.data;
  if (days.length === 0) return <Empty title="No calls yet">Calls of your keys are counted here, per day.</Empty>;
  return (
    <div className="stack">
      <p className="muted">Calls per key and day (UTC) in the last 30 days.</p>
      {days.map(({ date, keys }) => (
        <section key={date} className="card usage-day" aria-label={dayFormat().format(new Date(date))}>
          <h2>{dayFormat().format(new Date(date))}</h2>
          <ul className="usage-keys">
            {keys.map((usageOfKey, at) => (
              <KeyRow key={usageOfKey.key?.id ?? `other-${at}`} usage={usageOfKey} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function KeyRow({ usage: { key, calls, refused, asked, answered, answer_rate: rate, median_tap_s: median } }: { usage: KeyUsageView }) {
  return (
    <li className="usage-key">
      <h3>{key === null ? 'Web page and other keys' : key.name || 'Unnamed or revoked key'}</h3>
      <dl>
        <Figure label="Calls" value={String(calls)} />
        <Figure label="Errors" value={String(refused)} />
        <Figure label="Questions" value={String(asked)} />
        <Figure label="Answered" value={rate === null ? '–' : `${answered} (${Math.round(rate * 100)} %)`} />
        <Figure label="Median time to tap" value={median === null ? '–' : durationText(median)} />
      </dl>
    </li>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}
