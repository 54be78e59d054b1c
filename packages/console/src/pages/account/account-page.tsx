import { useState } from 'react';
import { useSetPassword, useSignedIn, useSignOut } from '../../api/session.js';
import { messageOf } from '../../api/call-error.js';
import { Button } from '../../ui/controls/button.js';
import { Segments } from '../../ui/controls/choices.js';
import { Field } from '../../ui/controls/field.js';
import { Form } from '../../ui/controls/form.js';
import { NewPassword } from '../../ui/controls/new-password.js';
import { Notice } from '../../ui/notice.js';
import { PageHead } from '../../ui/shell/page.js';
import { Part, Parts } from '../../ui/shell/parts.js';
import { setTheme, useTheme, type Theme } from '../../ui/theme/theme.js';
import { DeleteAccount } from './delete-account.js';
import { DownloadData } from './download-data.js';
import { EmailAddress } from './email-address.js';
import { Passkeys } from './passkeys.js';
import { Sessions } from './sessions.js';
import './account-page.css';

const parts = {
  email: 'E-mail address',
  appearance: 'Appearance',
  password: 'Password',
  passkeys: 'Passkeys',
  sessions: 'Sessions',
  programs: 'For your programs',
  data: 'Your data',
  delete: 'Delete account',
};

export default function AccountPage() {
  const { account } = useSignedIn();
  const signOut = useSignOut();
  return (
    <>
      <PageHead
        title="Account"
        actions={
          <Button icon="out" isPending={signOut.isPending} onPress={() => signOut.mutate()}>
            Sign out
          </Button>
        }
      />
      <Parts parts={parts}>
        {signOut.error && <Notice tone="bad">{messageOf(signOut.error)}</Notice>}
        <EmailAddress />
        <Appearance />
        {/* The key resets the fields once a password is set. */}
        <Password key={String(account.has_password)} hasPassword={account.has_password} email={account.email} />
        <Passkeys />
        <Sessions />
        <Part id="programs" title="For your programs" note="Use this account over HTTP and MCP.">
          <ul className="account-links">
            <li>
              <a href="/docs">API reference</a>
            </li>
            <li>
              <a href="/openapi.json">OpenAPI document</a>
            </li>
            <li>
              <a href="/llms.txt">llms.txt</a>
            </li>
          </ul>
        </Part>
        <DownloadData />
        <DeleteAccount account={account} />
      </Parts>
    </>
  );
}

const themes: readonly { id: Theme; label: string; icon: 'system' | 'sun' | 'moon' }[] = [
  { id: 'system', label: 'System', icon: 'system' },
  { id: 'light', label: 'Light', icon: 'sun' },
  { id: 'dark', label: 'Dark', icon: 'moon' },
];

function Appearance() {
  const theme = useTheme();
  return (
    <Part id="appearance" title="Appearance" note="In this browser.">
      <Segments label="Theme" hideLabel options={themes} value={theme} onChange={setTheme} />
    </Part>
  );
}

const fields = ['current', 'password'];

function Password({ hasPassword, email }: { hasPassword: boolean; email: string }) {
  const set = useSetPassword();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [done, setDone] = useState(false);
  const send = () =>
    set.mutate(hasPassword ? { current, password } : { password }, {
      onSuccess: () => {
        setCurrent('');
        setPassword('');
        setDone(true);
      },
    });
  return (
    <Part
      id="password"
      title={hasPassword ? 'Change password' : 'Set a password'}
      note={hasPassword ? 'You stay signed in here; all other sessions end.' : 'You have no password yet. Set one to sign in without a link.'}
    >
      {done && <Notice tone="good">Password changed.</Notice>}
      <Form
        key={String(done)}
        error={set.error}
        fields={fields}
        onSubmit={send}
        actions={
          <Button type="submit" look="primary" isPending={set.isPending}>
            {hasPassword ? 'Change password' : 'Set password'}
          </Button>
        }
      >
        {/* Names to password managers which account the password belongs to. */}
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        {hasPassword && (
          <Field
            label="Current password"
            name="current"
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
            isRequired
          />
        )}
        <NewPassword label="New password" value={password} onChange={setPassword} />
      </Form>
    </Part>
  );
}
