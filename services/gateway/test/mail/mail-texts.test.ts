import assert from 'node:assert/strict';
import { passwordResetMail, verificationMail } from '../../src/mail/mail-texts.js';

describe('the texts of e-mails', () => {
  it('the address is escaped in the HTML part, and the link is whole in both parts', () => {
    for (const mailOf of [passwordResetMail, verificationMail]) {
      const { html, text, to } = mailOf({ to: `a<b>&"'@example.org`, baseUrl: 'https://perch.example/base', token: 'p_token' });
      assert.equal(to, `a<b>&"'@example.org`);
      assert.ok(html.includes('a&lt;b&gt;&amp;&quot;&#39;@example.org'), html);
      assert.ok(!html.includes('<b>'), html);
      const [link = ''] = /https:\/\/perch\.example\/base\/\S+p_token/.exec(text) ?? [];
      assert.ok(link !== '' && html.includes(`href="${link}"`), html);
      assert.match(link, /#(?:reset|verify)=p_token$/);
      assert.match(text, /ignore this e-mail/);
    }
  });
});
