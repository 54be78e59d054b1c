import { messageOf } from '../../api/call-error.js';
import type { ListedRobots } from '../../api/listed-robots.js';
import { Button } from './button.js';
import { Field } from './field.js';

/** Number of robots from which on a list has a search field. */
export const searchedFrom = 20;

export function RobotSearch({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Field
      label="Search robots"
      hint="Part of a name or id."
      type="search"
      value={value}
      onChange={onChange}
      // Enter would send the form around it.
      onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      maxLength={64}
      autoComplete="off"
    />
  );
}

export function MoreRobots({ listed: { robots, total, hasMore, isReading, error, showMore } }: { listed: ListedRobots }) {
  if (robots.length === total && !hasMore) return null;
  return (
    <div className="robots-more">
      <p className="muted" role="status">
        {error ? messageOf(error) : isReading ? 'Loading robots.' : `${robots.length} of ${total} robots shown.`}
      </p>
      {hasMore && (
        <Button small isPending={isReading} onPress={showMore}>
          Show more
        </Button>
      )}
    </div>
  );
}
