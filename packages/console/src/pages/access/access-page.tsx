/** Follows the link of an e-mail, which may have been needed because somebody else could get in: all that still can, to keep or to remove. */
import type { RecoveryAnswer } from '@perch/schema';
import { Link, useLocation } from 'react-router';
import { useKeys } from '../../api/keys.js';
import { useWebhooks } from '../../api/webhooks.js';
import { Notice } from '../../ui/notice.js';
import { Failed, Loading, PageHead } from '../../ui/shell/page.js';
import { Part, Parts } from '../../ui/shell/parts.js';
import { Passkeys } from '../account/passkeys.js';
import { KeyRow } from '../keys/key-row.js';
import '../account/account-page.css';
import '../keys/keys-page.css';

/** Absent: the page was opened by itself, such as by the e-mail that tells of the change. */
export type AccessState = { verified: true } | { recovered: RecoveryAnswer['recovered'] };

const parts = { passkeys: 'Passkeys', keys: 'API keys and clients', others: 'Everything else' };

export default function AccessPage() {
  const state = useLocation().state as AccessState | null;
  return (
    <>
      <PageHead title="Who can get in" lead="Keep what is yours. Remove what you do not know: nothing is removed by itself." />
      <Parts parts={parts}>
        <Changed state={state} />
        <Passkeys />
        <Keys />
        <Others />
      </Parts>
    </>
  );
}

function Changed({ state }: { state: AccessState | null }) {
  if (state === null) return null;
  if ('verified' in state) return <Notice tone="good">Your e-mail address is verified. Everything that was made in the account before stays.</Notice>;
  const { first, ended } = state.recovered;
  const list = endedText(ended);
  return (
    <Notice tone="good">
      Your new password is set, and all other browsers are signed out.
      {first && ' Your e-mail address is verified, too, and everything that was made in the account before has ended, but for its robots.'}
      {list !== '' && ` Ended: ${list}.`}
    </Notice>
  );
}

const names: readonly (readonly [kind: keyof RecoveryAnswer['recovered']['ended'], one: string, many: string])[] = [
  ['passkeys', 'passkey', 'passkeys'],
  ['keys', 'API key', 'API keys'],
  ['clients', 'connected client', 'connected clients'],
  ['webhooks', 'webhook', 'webhooks'],
  ['share_links', 'share link', 'share links'],
  ['people', 'person with whom a robot was shared', 'people with whom robots were shared'],
];

function endedText(ended: RecoveryAnswer['recovered']['ended']): string {
  const texts = names.flatMap(([kind, one, many]) => (ended[kind] === 0 ? [] : [`${ended[kind]} ${ended[kind] === 1 ? one : many}`]));
  return new Intl.ListFormat('en-GB').format(texts);
}

function Keys() {
  const keys = useKeys();
  const list = keys.data?.keys ?? [];
  return (
    <Part id="keys" title={parts.keys} note="Programs with a key, and connected clients, act in your name.">
      {keys.error && keys.data === undefined && <Failed error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isPending && <Loading label="Loading your keys" lines={2} />}
      {keys.data && list.length === 0 && <div className="muted">There are none.</div>}
      {list.length > 0 && (
        <ul className="keys" aria-label={parts.keys}>
          {list.map((key) => (
            <KeyRow key={key.id} apiKey={key} />
          ))}
        </ul>
      )}
    </Part>
  );
}

function Others() {
  const webhooks = useWebhooks();
  const count = webhooks.data?.length;
  return (
    <Part id="others" title={parts.others} note="What else leaves your account, or acts for it.">
      <ul className="account-links">
        <li>
          <Link to="/robots">Robots, and with whom they are shared</Link>
        </li>
        <li>
          <Link to="/webhooks">{count === undefined ? 'Webhooks' : `Webhooks: ${count}`}</Link>
        </li>
        <li>
          <Link to="/activity?kind=changes">What was changed in the account</Link>
        </li>
      </ul>
    </Part>
  );
}
