import type { AddKeyAnswer, ConsoleKey } from '@perch/schema';
import { useState } from 'react';
import { useRollKey } from '../../api/keys.js';
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

interface ReplaceSecretProps {
  apiKey: ConsoleKey;
  onClose: () => void;
  onMade: (made: AddKeyAnswer) => void;
}

export function ReplaceSecret({ apiKey, onClose, onMade }: ReplaceSecretProps) {
  const roll = useRollKey(apiKey.id);
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]['id']>('86400');
  const send = () =>
    roll.mutate(Number(overlap), {
      onSuccess: ({ ok, api_key, key: { former_secret_until } }) => {
        const { former_secret_until: _, ...key } = apiKey;
        onMade({ ok, api_key, key: former_secret_until === null ? key : { ...key, former_secret_until } });
      },
    });
  return (
    <Form
      error={roll.error}
      fields={fields}
      onSubmit={send}
      actions={<DialogActions send="Create secret" isPending={roll.isPending} onCancel={onClose} decides />}
    >
      <p className="muted">
        The key keeps its name, robots and permissions, and gets a new secret. The old one keeps working for a while, so that your programs can change
        over.
        {apiKey.former_secret_until !== undefined && ' A secret from before that ends now.'}
      </p>
      <Select label="The old secret works for" name="overlap_s" value={overlap} onChange={setOverlap} options={overlaps} />
    </Form>
  );
}
