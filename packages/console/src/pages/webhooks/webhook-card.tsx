import type { WebhookView } from '@perch/schema';
import { useState } from 'react';
import { messageOf } from '../../api/call-error.js';
import { nameOf, useRobots } from '../../api/robots.js';
import { useRemoveWebhook, useTestWebhook } from '../../api/webhooks.js';
import { Button, IconButton } from '../../ui/controls/button.js';
import { Confirm } from '../../ui/dialog/dialog.js';
import { Notice } from '../../ui/notice.js';
import { Deliveries } from './deliveries.js';
import { eventLabels } from './event-labels.js';

export function WebhookCard({ webhook }: { webhook: WebhookView }) {
  const robots = useRobots().data?.robots ?? [];
  const test = useTestWebhook(webhook.id);
  const remove = useRemoveWebhook(webhook.id);
  const [open, setOpen] = useState(false);
  const [asking, setAsking] = useState(false);
  const sends = webhook.names === null ? 'All events' : webhook.names.map((name) => eventLabels[name]).join(', ');
  const whose =
    webhook.robots === null
      ? 'all robots'
      : webhook.robots
          .map((id) => {
            const robot = robots.find((each) => each.id === id);
            return robot === undefined ? id : nameOf(robot);
          })
          .join(', ');
  return (
    <li className="webhook card">
      <div className="webhook-head">
        <div className="webhook-text">
          <h2 className="mono">{webhook.url}</h2>
          <p className="muted">
            {sends} from {whose}
          </p>
        </div>
        <IconButton icon="trash" label="Delete webhook" onPress={() => setAsking(true)} />
      </div>
      {webhook.disabled !== null && (
        <Notice tone="warn">This webhook is disabled: {webhook.disabled} Fix the cause, then send a test: a delivered test enables it again.</Notice>
      )}
      {test.error && <Notice tone="bad">{messageOf(test.error)}</Notice>}
      <div className="row">
        <Button small icon="send" isPending={test.isPending} onPress={() => test.mutate(undefined, { onSuccess: () => setOpen(true) })}>
          Send a test
        </Button>
        <Button small look="quiet" icon={open ? 'down' : 'right'} aria-expanded={open} onPress={() => setOpen(!open)}>
          Deliveries
        </Button>
      </div>
      {open && <Deliveries webhook={webhook} />}
      <Confirm
        title="Delete this webhook?"
        action="Delete webhook"
        isOpen={asking}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        No more messages are sent to <span className="mono">{webhook.url}</span>, including pending retries. The secret becomes invalid.
      </Confirm>
    </li>
  );
}
