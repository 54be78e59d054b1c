import { messageOf } from '../../api/call-error.js';
import { Button } from '../../ui/controls/button.js';
import { Notice } from '../../ui/notice.js';
import { useDownloadAccount } from './use-download-account.js';

export function DownloadData() {
  const download = useDownloadAccount();
  return (
    <section className="card account-part">
      <div>
        <h2>Your data</h2>
        <p className="muted">
          Everything that is stored about this account, as one JSON file: robots with their events and the people you share them with, keys, webhooks,
          uploaded pictures, activity and sessions. It contains no secrets.
        </p>
      </div>
      <div className="stack">
        {download.error && <Notice tone="bad">{messageOf(download.error)}</Notice>}
        <div>
          <Button isPending={download.isPending} onPress={() => download.mutate()}>
            Download data
          </Button>
        </div>
      </div>
    </section>
  );
}
