import type { WebhookView } from '@perch/schema';
import { useState } from 'react';
import { useRollSecret } from '../../api/webhooks.js';
import { Form } from '../../ui/controls/form.js';
import { Select } from '../../ui/controls/select.js';
import { DialogActions } from '../../ui/dialog/dialog-actions.js';

const overlaps = [
  { id: '86400', label: '1 day' },
  { id: '3600', label: '1 hour' },
  { id: '604800', label: '7 days' },
  { id: '0', label: 'Ends now: it may be known to others' },
] as const;

const fields = ['overlap_s'];

interface RollSecretProps {
  webhook: WebhookView;
  onClose: () => void;
  onMade: (secret: string) => void;
}

export function RollSecret({ webhook, onClose, onMade }: RollSecretProps) {
  const roll = useRollSecret(webhook.id);
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]['id']>('86400');
  return (
    <Form
      error={roll.error}
      fields={fields}
      onSubmit={() => roll.mutate(Number(overlap), { onSuccess: ({ secret }) => onMade(secret) })}
      actions={<DialogActions send="Create secret" isPending={roll.isPending} onCancel={onClose} decides />}
    >
      <p className="muted">Messages are signed with both secrets for a while, so that your receiver can change over.</p>
      <Select label="Keep the old secret for" name="overlap_s" value={overlap} onChange={setOverlap} options={overlaps} />
    </Form>
  );
}
