import { messageOf } from '../../api/call-error.js';
import { Button } from '../../ui/controls/button.js';
import { Notice } from '../../ui/notice.js';
import { Part } from '../../ui/shell/parts.js';
import { useDownloadAccount } from './use-download-account.js';

export function DownloadData() {
  const download = useDownloadAccount();
  return (
    <Part
      id="data"
      title="Your data"
      note="Everything that is stored about this account, as one JSON file: robots with their events and the people you share them with, keys, webhooks, uploaded pictures, activity and sessions. It contains no secrets."
    >
      {download.error && <Notice tone="bad">{messageOf(download.error)}</Notice>}
      <div>
        <Button isPending={download.isPending} onPress={() => download.mutate()}>
          Download data
        </Button>
      </div>
    </Part>
  );
}
