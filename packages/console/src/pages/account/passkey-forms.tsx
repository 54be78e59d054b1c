/** Forms of a passkey's dialogs. An account that has a password confirms with it what changes how one signs in. */
import type { ConsolePasskey } from '@perch/schema';
import { useState } from 'react';
import { useAddPasskey, useRemovePasskey, useRenamePasskey } from '../../api/passkeys.js';
import { useSignedIn } from '../../api/session.js';
import { Field } from '../../ui/controls/field.js';
import { Form } from '../../ui/controls/form.js';
import { NameField } from '../../ui/controls/name-field.js';
import { DialogActions } from '../../ui/dialog/dialog-actions.js';

const addFields = ['name', 'current'];
const renameFields = ['name'];
const removeFields = ['current'];

export function AddPasskey({ onClose }: { onClose: () => void }) {
  const add = useAddPasskey();
  const confirmation = useConfirmation();
  const [name, setName] = useState('');
  return (
    <Form
      error={add.error}
      fields={addFields}
      onSubmit={() => add.mutate({ name: name.trim(), ...confirmation.body }, { onSuccess: onClose })}
      actions={<DialogActions send="Add passkey" isPending={add.isPending} onCancel={onClose} />}
    >
      <NameField value={name} onChange={setName} hint="Where you keep it, such as your phone or a security key." blank={null} />
      {confirmation.field}
    </Form>
  );
}

export function RenamePasskey({ passkey, onClose }: { passkey: ConsolePasskey; onClose: () => void }) {
  const rename = useRenamePasskey(passkey.id);
  const [name, setName] = useState(passkey.name);
  return (
    <Form
      error={rename.error}
      fields={renameFields}
      onSubmit={() => rename.mutate({ name: name.trim() }, { onSuccess: onClose })}
      actions={<DialogActions send="Rename" isPending={rename.isPending} onCancel={onClose} />}
    >
      <NameField value={name} onChange={setName} blank="Enter a name." />
    </Form>
  );
}

export function RemovePasskey({ passkey, onClose }: { passkey: ConsolePasskey; onClose: () => void }) {
  const remove = useRemovePasskey(passkey.id);
  const confirmation = useConfirmation();
  return (
    <Form
      error={remove.error}
      fields={removeFields}
      onSubmit={() => remove.mutate(confirmation.body, { onSuccess: onClose })}
      actions={<DialogActions send="Remove passkey" isPending={remove.isPending} onCancel={onClose} decides="deletes" />}
    >
      <p className="muted">It no longer signs in to this account. You stay signed in here; all other sessions end. Delete it on your device, too.</p>
      {confirmation.field}
    </Form>
  );
}

function useConfirmation() {
  const { account } = useSignedIn();
  const [current, setCurrent] = useState('');
  if (!account.has_password) return { body: {}, field: null };
  const field = (
    <>
      {/* Names to password managers which account the password belongs to. */}
      <input type="email" autoComplete="username" value={account.email} readOnly hidden />
      <Field
        label="Current password"
        name="current"
        type="password"
        autoComplete="current-password"
        value={current}
        onChange={setCurrent}
        isRequired
      />
    </>
  );
  return { body: { current }, field };
}
