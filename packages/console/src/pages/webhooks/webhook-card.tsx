import type { WebhookView } from '@perch/schema';
import { useState } from 'react';
import { messageOf } from '../../api/call-error.js';
import { nameOf, useRobots } from '../../api/robots.js';
import { useChangeWebhook, useRemoveWebhook, useTestWebhook } from '../../api/webhooks.js';
import { Button, IconButton } from '../../ui/controls/button.js';
import { Confirm, Dialog } from '../../ui/dialog/dialog.js';
import { Notice } from '../../ui/notice.js';
import { timeOf } from '../../ui/time/time.js';
import { Deliveries } from './deliveries.js';
import { eventLabels } from './event-labels.js';
import { RollSecret } from './roll-secret.js';
import { EditWebhook } from './webhook-form.js';

/** @param onSecret receives a new secret, which is shown once */
export function WebhookCard({ webhook, onSecret }: { webhook: WebhookView; onSecret: (secret: string) => void }) {
  const robots = useRobots().data?.robots ?? [];
  const test = useTestWebhook(webhook.id);
  const change = useChangeWebhook(webhook.id);
  const remove = useRemoveWebhook(webhook.id);
  const [editing, setEditing] = useState(false);
  const [rolling, setRolling] = useState(false);
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
      {webhook.paused && <Notice tone="warn">This webhook is paused: events are not sent to it, and will not be sent later.</Notice>}
      {webhook.disabled !== null && !webhook.paused && (
        <Notice tone="warn">This webhook is disabled: {webhook.disabled} Fix the cause, then send a test: a delivered test enables it again.</Notice>
      )}
      {webhook.former_secret_until && (
        <Notice tone="info">Messages are signed with the old secret as well, until {timeOf(webhook.former_secret_until)}.</Notice>
      )}
      {test.error && <Notice tone="bad">{messageOf(test.error)}</Notice>}
      {change.error && <Notice tone="bad">{messageOf(change.error)}</Notice>}
      <div className="row">
        <Button small icon="send" isPending={test.isPending} onPress={() => test.mutate(undefined, { onSuccess: () => setOpen(true) })}>
          Send a test
        </Button>
        <Button small look="quiet" icon={open ? 'down' : 'right'} aria-expanded={open} onPress={() => setOpen(!open)}>
          Deliveries
        </Button>
        <Button small look="quiet" onPress={() => setEditing(true)}>
          Edit
        </Button>
        <Button small look="quiet" isPending={change.isPending} onPress={() => change.mutate({ paused: !webhook.paused })}>
          {webhook.paused ? 'Resume' : 'Pause'}
        </Button>
        <Button small look="quiet" onPress={() => setRolling(true)}>
          New secret
        </Button>
      </div>
      {open && <Deliveries webhook={webhook} />}
      <Dialog title="Edit webhook" isOpen={editing} onClose={() => setEditing(false)}>
        <EditWebhook webhook={webhook} onClose={() => setEditing(false)} />
      </Dialog>
      <Dialog title="New secret" isOpen={rolling} onClose={() => setRolling(false)}>
        <RollSecret
          webhook={webhook}
          onClose={() => setRolling(false)}
          onMade={(secret) => {
            setRolling(false);
            onSecret(secret);
          }}
        />
      </Dialog>
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
