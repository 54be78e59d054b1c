import { useState } from 'react';
import { useWebhooks } from '../../api/webhooks.js';
import { Button } from '../../ui/controls/button.js';
import { CopyLine } from '../../ui/controls/copy.js';
import { Dialog } from '../../ui/dialog/dialog.js';
import { Icon } from '../../ui/icon.js';
import { Notice } from '../../ui/notice.js';
import { Empty, Failed, Loading, PageHead } from '../../ui/shell/page.js';
import { AddWebhook } from './webhook-form.js';
import { WebhookCard } from './webhook-card.js';
import './webhooks-page.css';

export default function WebhooksPage() {
  const webhooks = useWebhooks();
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const list = webhooks.data ?? [];
  const add = (
    <Button look="primary" icon="plus" onPress={() => setAdding(true)}>
      Add webhook
    </Button>
  );
  return (
    <>
      <PageHead title="Webhooks" lead="Receive events from your robots at a URL of yours as they happen." actions={list.length > 0 && add} />
      {webhooks.error && webhooks.data === undefined && <Failed error={webhooks.error} onRetry={() => void webhooks.refetch()} />}
      {webhooks.isPending && <Loading label="Loading your webhooks" lines={2} />}
      {webhooks.data && list.length === 0 && (
        <Empty
          picture={
            <span className="webhooks-picture">
              <Icon name="webhook" size={56} />
            </span>
          }
          title="No webhooks yet"
          actions={add}
        >
          Add an https URL to receive signed messages for events such as taps. Failed deliveries are retried for a day.
        </Empty>
      )}
      <ul className="stack">
        {list.map((webhook) => (
          <WebhookCard key={webhook.id} webhook={webhook} onSecret={setSecret} />
        ))}
      </ul>
      <Dialog title="Add webhook" isOpen={adding} onClose={() => setAdding(false)}>
        <AddWebhook
          onClose={() => setAdding(false)}
          onMade={(answer) => {
            setAdding(false);
            setSecret(answer.secret);
          }}
        />
      </Dialog>
      <Dialog title="Webhook secret" isOpen={secret !== null} onClose={() => setSecret(null)} stays>
        {secret !== null && (
          <div className="stack">
            <Notice tone="warn">Copy the secret now: it is not shown again.</Notice>
            <CopyLine label="Secret" text={secret} secret />
            <p className="muted">
              Use the secret to verify the signature of messages. They follow <a href="https://www.standardwebhooks.com">Standard Webhooks</a>, which
              has libraries for most languages.
            </p>
            <div className="form-actions">
              <Button look="primary" onPress={() => setSecret(null)}>
                I have copied it
              </Button>
            </div>
          </div>
        )}
      </Dialog>
    </>
  );
}
