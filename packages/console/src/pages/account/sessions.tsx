import type { ConsoleSessionEntry } from '@perch/schema';
import { useState } from 'react';
import { messageOf } from '../../api/call-error.js';
import { useEndSessions, useSessions } from '../../api/sessions.js';
import { Button } from '../../ui/controls/button.js';
import { Confirm } from '../../ui/dialog/dialog.js';
import { Notice } from '../../ui/notice.js';
import { Failed, Loading } from '../../ui/shell/page.js';
import { Part } from '../../ui/shell/parts.js';
import { Ago } from '../../ui/time/ago.js';
import { dateOf } from '../../ui/time/time.js';
import './sessions.css';

export function Sessions() {
  const sessions = useSessions();
  const endOthers = useEndSessions();
  const [asking, setAsking] = useState(false);
  const list = sessions.data?.sessions ?? [];
  // The session of this browser first: the list is short, and its place says where one is.
  const sorted = list.toSorted((a, b) => Number(b.current) - Number(a.current));
  return (
    <Part id="sessions" title="Sessions" note="Browsers that are signed in to this account. A session expires 30 days after its sign-in.">
      {sessions.error && sessions.data === undefined && <Failed error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {sessions.isPending && <Loading label="Loading your sessions" lines={2} />}
      <ul className="sessions" aria-label="Sessions">
        {sorted.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
      {list.length > 1 && (
        <div>
          <Button onPress={() => setAsking(true)}>End all other sessions</Button>
        </div>
      )}
      <Confirm
        title="End all other sessions?"
        action="End sessions"
        isOpen={asking}
        isPending={endOthers.isPending}
        error={endOthers.error}
        onConfirm={() => endOthers.mutate(null, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        <p>All other browsers are signed out within a second. You stay signed in here.</p>
      </Confirm>
    </Part>
  );
}

function SessionRow({ session }: { session: ConsoleSessionEntry }) {
  const end = useEndSessions();
  const device = session.device ?? 'Unknown browser';
  return (
    <li className="session-row">
      <div className="session-device">
        <h3>{device}</h3>
        {session.current && <span className="session-here">This browser</span>}
      </div>
      <div className="muted">
        Signed in {dateOf(session.created_at)}
        {!session.current && (
          <>
            {', last used '}
            <Ago at={session.last_used ?? session.created_at} />
          </>
        )}
      </div>
      {!session.current && (
        <div className="session-end">
          <Button small look="quiet" aria-label={`End the session of ${device}`} isPending={end.isPending} onPress={() => end.mutate(session.id)}>
            End
          </Button>
        </div>
      )}
      {end.error && <Notice tone="bad">{messageOf(end.error)}</Notice>}
    </li>
  );
}
