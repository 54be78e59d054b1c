import type { AddKeyAnswer } from '@perch/schema';
import { useState } from 'react';
import { useKeys } from '../../api/keys.js';
import { useSignedIn } from '../../api/session.js';
import { Button } from '../../ui/controls/button.js';
import { CopyLine } from '../../ui/controls/copy.js';
import { Dialog } from '../../ui/dialog/dialog.js';
import { Icon } from '../../ui/icon.js';
import { Empty, Failed, Loading, PageHead } from '../../ui/shell/page.js';
import { AddKey } from './add-key.js';
import { KeyRow } from './key-row.js';
import { NewKey } from './new-key.js';
import './keys-page.css';

export default function KeysPage() {
  const keys = useKeys();
  const { base_url } = useSignedIn();
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<AddKeyAnswer | null>(null);
  const list = keys.data?.keys ?? [];
  const add = (
    <Button look="primary" icon="plus" onPress={() => setAdding(true)}>
      Create key
    </Button>
  );
  return (
    <>
      <PageHead title="Keys" lead="A key lets a program, or an MCP client, use your robots." actions={list.length > 0 && add} />
      <div className="stack">
        {keys.error && keys.data === undefined && <Failed error={keys.error} onRetry={() => void keys.refetch()} />}
        {keys.isPending && <Loading label="Loading your keys" lines={2} />}
        {keys.data && list.length === 0 && (
          <Empty
            picture={
              <span className="keys-picture">
                <Icon name="key" size={56} />
              </span>
            }
            title="No keys yet"
            actions={add}
          >
            Create one key per program. It is shown once, with the configuration to paste. You can revoke it at any time.
          </Empty>
        )}
        {list.length > 0 && (
          <ul className="keys card">
            {list.map((key) => (
              <KeyRow key={key.id} apiKey={key} onMade={setMade} />
            ))}
          </ul>
        )}
        {keys.data && (
          <div className="keys-base">
            <CopyLine label="Base URL" text={base_url} />
          </div>
        )}
      </div>
      <Dialog title="Create key" isOpen={adding} onClose={() => setAdding(false)}>
        <AddKey
          onClose={() => setAdding(false)}
          onMade={(answer) => {
            setAdding(false);
            setMade(answer);
          }}
        />
      </Dialog>
      <Dialog
        title={made === null ? '' : `Your key: ${made.key.name || made.key.id}`}
        isOpen={made !== null}
        onClose={() => setMade(null)}
        wide
        stays
      >
        {made && <NewKey made={made} onDone={() => setMade(null)} />}
      </Dialog>
    </>
  );
}
