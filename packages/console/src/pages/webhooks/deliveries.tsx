import type { DeliveryView, WebhookView } from '@perch/schema';
import { useState } from 'react';
import { messageOf } from '../../api/call-error.js';
import { useDeliveries, useReplay } from '../../api/webhooks.js';
import { Ago, Ahead } from '../../ui/time/ago.js';
import { useNow } from '../../ui/time/use-now.js';
import { Button } from '../../ui/controls/button.js';
import { CodeBlock } from '../../ui/controls/copy.js';
import { Icon } from '../../ui/icon.js';
import { Notice } from '../../ui/notice.js';
import { Failed, Loading } from '../../ui/shell/page.js';
import { labelOfType } from './event-labels.js';

export function Deliveries({ webhook }: { webhook: WebhookView }) {
  const deliveries = useDeliveries(webhook.id);
  const replay = useReplay(webhook.id);
  if (deliveries.data === undefined) {
    return deliveries.error ? (
      <Failed error={deliveries.error} onRetry={() => void deliveries.refetch()} />
    ) : (
      <Loading label="Loading the log" lines={1} />
    );
  }
  if (deliveries.data.length === 0) return <p className="muted">No deliveries yet. Send a test, or touch a robot.</p>;
  return (
    <div className="stack">
      {replay.error && <Notice tone="bad">{messageOf(replay.error)}</Notice>}
      <ul className="deliveries" aria-label="Deliveries">
        {deliveries.data.map((delivery) => (
          <Delivery
            key={delivery.id}
            delivery={delivery}
            replaying={replay.isPending && replay.variables === delivery.id}
            onReplay={() => replay.mutate(delivery.id)}
          />
        ))}
      </ul>
    </div>
  );
}

const states: Record<DeliveryView['status'], { label: string; icon: 'check' | 'replay' | 'alert' }> = {
  delivered: { label: 'Delivered', icon: 'check' },
  pending: { label: 'Pending', icon: 'replay' },
  failed: { label: 'Failed', icon: 'alert' },
};

function Delivery({ delivery, replaying, onReplay }: { delivery: DeliveryView; replaying: boolean; onReplay: () => void }) {
  const [open, setOpen] = useState(false);
  const { label, icon } = states[delivery.status];
  const name = labelOfType(delivery.type);
  return (
    <li className="delivery">
      <div className="delivery-line">
        <span className={`delivery-state delivery-${delivery.status}`}>
          <Icon name={icon} size={16} />
          {label}
        </span>
        <span className="delivery-what">
          {name} <span className="muted">{delivery.robot}</span>
        </span>
        <span className="delivery-when muted">
          <Ago at={delivery.created_at} />
        </span>
        <span className="delivery-actions">
          {delivery.status !== 'pending' && (
            <Button small look="quiet" isPending={replaying} aria-label={`Send again: ${name}`} onPress={onReplay}>
              Send again
            </Button>
          )}
          <Button small look="quiet" aria-expanded={open} aria-label={`${open ? 'Less' : 'More'}: ${name}`} onPress={() => setOpen(!open)}>
            {open ? 'Less' : 'More'}
          </Button>
        </span>
      </div>
      <p className="delivery-note muted">{noteOf(delivery)}</p>
      {open && <CodeBlock label={`message ${delivery.id}`} text={JSON.stringify(delivery.payload, null, 2)} />}
    </li>
  );
}

function noteOf({ status, attempts, last_status, last_error, next_at }: DeliveryView) {
  const tries = attempts === 0 ? 'Not sent yet' : attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  // The sentence of a failure names the status.
  const answer = status === 'delivered' || last_error === null ? (last_status === null ? null : `The receiver answered ${last_status}.`) : last_error;
  return (
    <>
      {tries}.{answer === null ? '' : ` ${answer}`}
      {status === 'pending' && next_at !== null && attempts > 0 && <Retry at={next_at} />}
    </>
  );
}

/** A retry that is due waits for an instance, or the page for the next look at the log. */
function Retry({ at }: { at: string }) {
  const isDue = Date.parse(at) - useNow() <= 1000;
  return isDue ? (
    <> It is sent again now.</>
  ) : (
    <>
      {' '}
      It is sent again <Ahead at={at} />.
    </>
  );
}
