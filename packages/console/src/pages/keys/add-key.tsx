import type { AddKeyAnswer, KeyScope } from '@perch/schema';
import { useState } from 'react';
import { useAddKey } from '../../api/keys.js';
import { Choices } from '../../ui/controls/choices.js';
import { DialogActions } from '../../ui/dialog/dialog-actions.js';
import { Form } from '../../ui/controls/form.js';
import { NameField } from '../../ui/controls/name-field.js';
import { Select } from '../../ui/controls/select.js';
import { RobotChoice } from '../../ui/controls/robot-choice.js';
import { expiresAt, expiries, type ExpiryId } from './expiry.js';
import { preselected, scopes } from './scopes.js';

const fields = ['name', 'robots', 'scopes', 'expires_at'];

export function AddKey({ onClose, onMade }: { onClose: () => void; onMade: (answer: AddKeyAnswer) => void }) {
  const add = useAddKey();
  const [name, setName] = useState('');
  const [robots, setRobots] = useState<'*' | string[]>('*');
  const [allowed, setAllowed] = useState<readonly KeyScope[]>(preselected(scopes.map(({ id }) => id)));
  const [expiry, setExpiry] = useState<ExpiryId>('never');
  const send = () => {
    const expires_at = expiresAt(expiry, Date.now());
    add.mutate({ name: name.trim(), robots, scopes: allowed, ...(expires_at === undefined ? {} : { expires_at }) }, { onSuccess: onMade });
  };
  return (
    <Form
      error={add.error}
      fields={fields}
      onSubmit={send}
      actions={<DialogActions send="Create key" isPending={add.isPending} onCancel={onClose} />}
    >
      <NameField
        value={name}
        onChange={setName}
        hint="Where the key is used, such as a laptop or build server."
        blank="Enter a name, so that you can recognize the key."
      />
      <RobotChoice value={robots} onChange={setRobots} />
      <Choices
        label="This key can"
        name="scopes"
        options={scopes}
        value={allowed}
        onChange={setAllowed}
        problem={allowed.length === 0 ? 'Choose at least one.' : null}
      />
      <Select label="Expiration" name="expires_at" value={expiry} onChange={setExpiry} options={expiries} />
    </Form>
  );
}
