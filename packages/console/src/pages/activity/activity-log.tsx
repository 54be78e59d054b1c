import type { ActivityView } from '@perch/schema';
import { Link } from 'react-router';
import { useActivity, type ActivityFilter } from '../../api/activity.js';
import { nameOf, useRobots } from '../../api/robots.js';
import { Button } from '../../ui/controls/button.js';
import { Icon, type IconName } from '../../ui/icon.js';
import { Empty, Failed, Loading } from '../../ui/shell/page.js';
import { timeOf } from '../../ui/time/time.js';
import { isFiltered } from './use-activity-filter.js';
import { durationText, labelOfAction, labelOfOutcome, type Tone } from './activity-words.js';

const icons: Record<Tone, IconName> = { good: 'check', warn: 'info', bad: 'alert' };

export function ActivityLog({ filter }: { filter: ActivityFilter }) {
  const { data, entries, error, isPending, isPlaceholderData, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = useActivity(filter);
  const robots = useRobots().data?.robots ?? [];
  if (data === undefined) {
    if (error) return <Failed error={error} onRetry={() => void refetch()} />;
    return isPending ? <Loading label="Loading the activity" lines={4} /> : null;
  }
  // An empty list says why it is empty, which is not known yet for the new filter.
  if (isPlaceholderData && entries.length === 0) return <Loading label="Loading the activity" lines={4} />;
  return (
    <div className="stack activity-log" aria-busy={isPlaceholderData}>
      {entries.length > 0 && (
        <ul className="activity card" aria-label="Activity">
          {entries.map((entry) => {
            const robot = robots.find(({ id }) => id === entry.robot);
            return <ActivityRow key={entry.seq} entry={entry} robot={robot && nameOf(robot)} />;
          })}
        </ul>
      )}
      {entries.length === 0 && (
        <Empty title={isFiltered(filter) ? 'Nothing matches' : 'No activity yet'}>
          {isFiltered(filter)
            ? hasNextPage
              ? 'No recent entry matches. Earlier ones may.'
              : 'No entry of the last 30 days matches.'
            : 'Calls of your programs appear here about a second after they end.'}
        </Empty>
      )}
      {error && <Failed error={error} onRetry={() => void fetchNextPage()} />}
      {hasNextPage && (
        <div>
          <Button isPending={isFetchingNextPage} isDisabled={isPlaceholderData} onPress={() => void fetchNextPage()}>
            Load earlier
          </Button>
        </div>
      )}
    </div>
  );
}

/** @param robot its name, if the account still has it */
function ActivityRow({ entry, robot }: { entry: ActivityView; robot: string | undefined }) {
  const { label, tone } = labelOfOutcome(entry);
  const facts = factsOf(entry);
  return (
    <li className="activity-row">
      <div className="activity-what">
        <span className="activity-action">{labelOfAction(entry.action)}</span>
        <span className={`activity-outcome activity-${tone}`}>
          <Icon name={icons[tone]} size={16} />
          {label}
        </span>
      </div>
      <div className="activity-who">
        {entry.robot !== null && (robot === undefined ? <span>{entry.robot}</span> : <Link to={`/robots/${entry.robot}`}>{robot}</Link>)}
        <span className="muted">{callerOf(entry)}</span>
      </div>
      <time className="activity-when muted" dateTime={entry.at}>
        {timeOf(entry.at)}
      </time>
      {(entry.question !== null || entry.answer !== null || facts.length > 0) && (
        <p className="activity-detail">
          {entry.question !== null && <q>{entry.question}</q>}
          {entry.answer !== null && (
            <span>
              Answer: <b>{entry.answer}</b>
            </span>
          )}
          {facts.length > 0 && <span className="muted">{facts.join(' · ')}</span>}
        </p>
      )}
    </li>
  );
}

function callerOf({ via, key, kind, guest }: ActivityView): string {
  if (via === 'page') return kind === 'calls' && guest ? `${guest}, web page` : 'Web page';
  if (via === 'operator') return 'Operator';
  const name = key === null ? 'Revoked key' : key.name || 'Unnamed key';
  return via === 'agent' ? `${name}, agent` : name;
}

function factsOf({ tap_s: tapS, x, y, seconds, network, subject, kind, guest }: ActivityView): string[] {
  return [
    tapS === null ? '' : `Tapped after ${durationText(tapS)}`,
    x === null || y === null ? '' : `At ${x}, ${y}`,
    seconds === null ? '' : `Took ${durationText(seconds)}`,
    subject ?? '',
    kind === 'changes' ? (guest ?? '') : '',
    network === null ? '' : `From ${network}`,
  ].filter((text) => text !== '');
}
