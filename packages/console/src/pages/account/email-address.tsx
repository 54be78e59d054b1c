import { messageOf } from '../../api/call-error.js';
import { useSendVerification } from '../../api/account/email.js';
import { useSignedIn } from '../../api/session.js';
import { Button } from '../../ui/controls/button.js';
import { Notice } from '../../ui/notice.js';
import { Part } from '../../ui/shell/parts.js';

export function EmailAddress() {
  const { account, mail } = useSignedIn();
  const send = useSendVerification();
  const isVerified = account.email_verified;
  return (
    <Part id="email" title="E-mail address" note={mail ? 'You sign in with it, and e-mails to set a new password go there.' : 'You sign in with it.'}>
      <div className="account-address">{account.email}</div>
      {isVerified ? (
        <Notice tone="good">Verified</Notice>
      ) : !mail ? (
        <Notice tone="info">
          Not verified. This service sends no <span className="unbroken">e-mail</span>, so an address cannot be verified here.
        </Notice>
      ) : (
        <>
          <Notice tone="warn">
            Not verified. If you have an <span className="unbroken">e-mail</span> with a link, open it in this browser; otherwise send one.
          </Notice>
          {send.isSuccess && <Notice tone="good">An e-mail was sent. Its link works for a day, in this browser.</Notice>}
          {send.error && <Notice tone="bad">{messageOf(send.error)}</Notice>}
          <div>
            <Button isPending={send.isPending} onPress={() => send.mutate()}>
              Send e-mail
            </Button>
          </div>
        </>
      )}
    </Part>
  );
}
