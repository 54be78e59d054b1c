import type { SignedIn } from '@perch/schema';
import { useState } from 'react';
import { useRemoveAccount } from '../../api/session.js';
import { Button } from '../../ui/controls/button.js';
import { Field } from '../../ui/controls/field.js';
import { Form } from '../../ui/controls/form.js';
import { DialogActions } from '../../ui/dialog/dialog-actions.js';
import { Dialog } from '../../ui/dialog/dialog.js';
import { Part } from '../../ui/shell/parts.js';

type Account = SignedIn['account'];

export function DeleteAccount({ account }: { account: Account }) {
  const [asking, setAsking] = useState(false);
  return (
    <Part
      id="delete"
      title="Delete account"
      note="Deletes the account and everything that belongs to it. Download your data first if you may need it."
    >
      <div>
        <Button look="danger" icon="trash" onPress={() => setAsking(true)}>
          Delete account
        </Button>
      </div>
      <Dialog title="Delete this account?" isOpen={asking} onClose={() => setAsking(false)}>
        <Confirmation account={account} onClose={() => setAsking(false)} />
      </Dialog>
    </Part>
  );
}

const fields = ['email', 'password'];

function Confirmation({ account: { email, has_password }, onClose }: { account: Account; onClose: () => void }) {
  const remove = useRemoveAccount();
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  return (
    <Form
      error={remove.error}
      fields={fields}
      onSubmit={() => remove.mutate(has_password ? { email: typed.trim(), password } : { email: typed.trim() })}
      actions={<DialogActions send="Delete account" isPending={remove.isPending} onCancel={onClose} decides="deletes" />}
    >
      <p>You cannot undo this:</p>
      <ul className="account-losses">
        <li>Robots are disconnected. Each must be paired again before an account can use it.</li>
        <li>Keys stop at once: programs and agents that use them are rejected.</li>
        <li>Webhooks, events, uploaded pictures, activity and usage are deleted.</li>
        <li>
          People with whom you share robots lose them, and you lose the robots that others share with you. Their owners' activity shows your{' '}
          <span className="unbroken">e-mail</span> address for up to 30 more days.
        </li>
        <li>All sessions end, in this browser and in all others.</li>
      </ul>
      <Field
        label={`Type ${email} to confirm`}
        name="email"
        type="email"
        autoComplete="off"
        value={typed}
        onChange={setTyped}
        validate={(value) => (isSame(value, email) ? null : 'This is not the e-mail address of this account.')}
        isRequired
      />
      {has_password && (
        <Field label="Password" name="password" type="password" autoComplete="current-password" value={password} onChange={setPassword} isRequired />
      )}
    </Form>
  );
}

function isSame(typed: string, email: string): boolean {
  return typed.trim().toLowerCase() === email.trim().toLowerCase();
}
