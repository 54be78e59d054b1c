import assert from 'node:assert/strict';
import { passwordResetMail, recoveryMail, verificationMail, verifiedMail } from '../../src/mail/account-mails.js';

describe('the texts of e-mails', () => {
  const [to, baseUrl, token] = [`a<b>&"'@example.org`, 'https://perch.example/base', 'p_token'];

  it('the address is escaped in the HTML part, and the link is whole in both parts', () => {
    for (const mail of [
      passwordResetMail({ to, baseUrl, token, isProven: true }),
      passwordResetMail({ to, baseUrl, token, isProven: false }),
      verificationMail({ to, baseUrl, token }),
      recoveryMail({ to, baseUrl, isFirst: true, counts: {} }),
      recoveryMail({ to, baseUrl, isFirst: false, counts: {} }),
      verifiedMail({ to, baseUrl }),
    ]) {
      const { html, text } = mail;
      assert.equal(mail.to, to);
      assert.ok(html.includes('a&lt;b&gt;&amp;&quot;&#39;@example.org'), html);
      assert.ok(!html.includes('<b>'), html);
      const [link = ''] = /^https:\/\/perch\.example\/base\/\S+$/m.exec(text) ?? [];
      assert.ok(link !== '' && html.includes(`href="${link}"`), html);
      assert.match(text, /ignore this e-mail|If you did not do this/);
    }
  });

  it('the link of a reset or a verification ends in its token, and those of notices have none', () => {
    for (const mail of [passwordResetMail({ to, baseUrl, token, isProven: true }), verificationMail({ to, baseUrl, token })])
      assert.match(mail.text, /#(?:reset|verify)=p_token$/m);
    for (const mail of [recoveryMail({ to, baseUrl, isFirst: false, counts: {} }), verifiedMail({ to, baseUrl })])
      assert.ok(!mail.text.includes('#'), mail.text);
  });

  it('a reset says before it that it ends everything, if the address was never verified', () => {
    assert.match(passwordResetMail({ to, baseUrl, token, isProven: false }).text, /also ends everything that was made in the account/);
    assert.doesNotMatch(passwordResetMail({ to, baseUrl, token, isProven: true }).text, /everything/);
  });

  it('a notice counts what ended, in words that are read aloud', () => {
    const counts = { sign_in: 3, device: 1, passkey: 1, key: 2, grant: 1, webhook: 0 };
    assert.match(
      recoveryMail({ to, baseUrl, isFirst: true, counts }).text,
      /These ended, too: 1 passkey, 2 API keys and 1 connected client\. Robots stay/,
    );
    assert.match(
      recoveryMail({ to, baseUrl, isFirst: false, counts: { grant: 2 } }).text,
      /These ended, too: 2 connected clients\. Passkeys and API keys still/,
    );
    assert.doesNotMatch(recoveryMail({ to, baseUrl, isFirst: false, counts: {} }).text, /ended, too/);
  });
});
