import type { AddKeyAnswer, ConsoleKey, ConsoleRobot } from '@perch/schema';
import { useState } from 'react';
import { useRevokeKey } from '../../api/keys.js';
import { nameOf, useRobots } from '../../api/robots.js';
import { Ago } from '../../ui/time/ago.js';
import { Button } from '../../ui/controls/button.js';
import { Confirm, Dialog } from '../../ui/dialog/dialog.js';
import { useNow } from '../../ui/time/use-now.js';
import { dateOf } from '../../ui/time/time.js';
import { FormerSecret } from './former-secret.js';
import { KeyWebhooks } from './key-webhooks.js';
import { ReplaceSecret } from './replace-secret.js';
import { mayDo } from './scopes.js';

/** @param onMade receives a new secret, which is shown once; absent: the secret cannot be replaced here */
export function KeyRow({ apiKey: key, onMade }: { apiKey: ConsoleKey; onMade?: (made: AddKeyAnswer) => void }) {
  const robots = useRobots();
  const revoke = useRevokeKey();
  const now = useNow();
  const [rolling, setRolling] = useState(false);
  const [asking, setAsking] = useState(false);
  const [removeWebhooks, setRemoveWebhooks] = useState(false);
  const ask = () => {
    setRemoveWebhooks(false);
    setAsking(true);
  };
  const expired = key.expires_at !== null && Date.parse(key.expires_at) <= now;
  return (
    <li className="key-row">
      <div className="key-name">
        <h2>{key.name || 'Unnamed key'}</h2>
        <span className="muted">
          {key.client === undefined ? 'Created' : `Connected from ${key.client},`} {dateOf(key.created_at)}
        </span>
      </div>
      <div className="key-reach muted">
        <div>{reach(key, robots.data?.robots ?? [])}</div>
        <div>{mayDo(key)}</div>
      </div>
      <div className="key-used muted">
        <div>
          {key.last_used === null ? (
            'Never used'
          ) : (
            <>
              Used <Ago at={key.last_used} />
            </>
          )}
        </div>
        {key.former_secret_until !== undefined && <FormerSecret apiKey={key} until={key.former_secret_until} />}
        {key.expires_at !== null && (
          <div className={expired ? 'key-expired' : undefined}>
            {expired ? 'Expired' : 'Expires'} {dateOf(key.expires_at)}
          </div>
        )}
      </div>
      <div className="key-end">
        {!expired && key.client === undefined && onMade !== undefined && (
          <Button small look="quiet" aria-label={`Replace secret of ${key.name || 'the unnamed key'}`} onPress={() => setRolling(true)}>
            Replace secret
          </Button>
        )}
        <Button small look="quiet" aria-label={`Revoke ${key.name || 'the unnamed key'}`} onPress={ask}>
          Revoke
        </Button>
      </div>
      <Dialog title={`Replace the secret of ${key.name || 'this key'}`} isOpen={rolling} onClose={() => setRolling(false)}>
        <ReplaceSecret
          apiKey={key}
          onClose={() => setRolling(false)}
          onMade={(made) => {
            setRolling(false);
            onMade?.(made);
          }}
        />
      </Dialog>
      <Confirm
        title={`Revoke ${key.name || 'this key'}?`}
        action="Revoke key"
        isOpen={asking}
        isPending={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoke.mutate({ id: key.id, removeWebhooks }, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        <div className="stack">
          <p>Requests with this key are rejected within a second. You cannot undo this; create a new key for programs that should continue.</p>
          <KeyWebhooks apiKey={key} remove={removeWebhooks} onChange={setRemoveWebhooks} />
        </div>
      </Confirm>
    </li>
  );
}

const namesMax = 4;

function reach({ robots }: ConsoleKey, known: readonly ConsoleRobot[]): string {
  if (robots === '*') return 'All robots, including later ones';
  if (robots.length === 0) return 'No robots left';
  const names = robots.slice(0, namesMax).map((id) => {
    const robot = known.find((each) => each.id === id);
    return robot === undefined ? id : nameOf(robot);
  });
  return robots.length > namesMax ? `${names.join(', ')} and ${robots.length - namesMax} more` : names.join(', ');
}
