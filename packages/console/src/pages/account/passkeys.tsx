import type { ConsolePasskey } from '@perch/schema';
import { useState } from 'react';
import { offersPasskeys, usePasskeys } from '../../api/passkeys.js';
import { useSignedIn } from '../../api/session.js';
import { Button } from '../../ui/controls/button.js';
import { Dialog } from '../../ui/dialog/dialog.js';
import { Notice } from '../../ui/notice.js';
import { Failed, Loading } from '../../ui/shell/page.js';
import { Part } from '../../ui/shell/parts.js';
import { Ago } from '../../ui/time/ago.js';
import { dateOf } from '../../ui/time/time.js';
import { AddPasskey, RemovePasskey, RenamePasskey } from './passkey-forms.js';
import './passkeys.css';

export function Passkeys() {
  const session = useSignedIn();
  const passkeys = usePasskeys();
  const [adding, setAdding] = useState(false);
  const list = passkeys.data?.passkeys ?? [];
  return (
    <Part id="passkeys" title="Passkeys" note="Sign in with your fingerprint, face or PIN, or with a security key, instead of a password.">
      {passkeys.error && passkeys.data === undefined && <Failed error={passkeys.error} onRetry={() => void passkeys.refetch()} />}
      {passkeys.isPending && <Loading label="Loading your passkeys" lines={1} />}
      {passkeys.data && list.length === 0 && <div className="muted">There are none.</div>}
      {list.length > 0 && (
        <ul aria-label="Passkeys">
          {list.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      {offersPasskeys(session) ? (
        <div>
          <Button onPress={() => setAdding(true)}>Add a passkey</Button>
        </div>
      ) : (
        <Notice tone="info">{whyNone()}</Notice>
      )}
      <Dialog title="Add a passkey" isOpen={adding} onClose={() => setAdding(false)}>
        <AddPasskey onClose={() => setAdding(false)} />
      </Dialog>
    </Part>
  );
}

function PasskeyRow({ passkey }: { passkey: ConsolePasskey }) {
  const [open, setOpen] = useState<'rename' | 'remove' | null>(null);
  const close = () => setOpen(null);
  const { name, host, created_at: createdAt, last_used: lastUsed } = passkey;
  return (
    <li className="passkey-row">
      <h3>{name}</h3>
      <div className="muted">
        Added {dateOf(createdAt)}
        {lastUsed === null ? (
          ', never used'
        ) : (
          <>
            {', last used '}
            <Ago at={lastUsed} />
          </>
        )}
        {host !== window.location.hostname && `, works only at ${host}`}
      </div>
      <div className="passkey-actions">
        <Button small look="quiet" aria-label={`Rename ${name}`} onPress={() => setOpen('rename')}>
          Rename
        </Button>
        <Button small look="quiet" aria-label={`Remove ${name}`} onPress={() => setOpen('remove')}>
          Remove
        </Button>
      </div>
      <Dialog title={`Rename ${name}`} isOpen={open === 'rename'} onClose={close}>
        <RenamePasskey passkey={passkey} onClose={close} />
      </Dialog>
      <Dialog title={`Remove ${name}?`} isOpen={open === 'remove'} onClose={close}>
        <RemovePasskey passkey={passkey} onClose={close} />
      </Dialog>
    </li>
  );
}

function whyNone(): string {
  const { hostname } = window.location;
  if (/^[\d.]+$|^\[/.test(hostname))
    return 'Passkeys belong to a host name, and this page was opened at an IP address. Open it at its host name; on the machine that runs the service, at localhost.';
  if (!window.isSecureContext) return 'Browsers offer passkeys only on pages over https, or at localhost.';
  return 'This browser offers no passkeys.';
}
