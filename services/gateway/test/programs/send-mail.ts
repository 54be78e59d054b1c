/** Sends an e-mail with the certificates that the process trusts. @param argv URL of the SMTP server and recipient */
import { smtpServerOf, SmtpSender } from '../../src/mail/mail-delivery.js';
import { passwordResetMail } from '../../src/mail/account-mails.js';

const [url, to] = process.argv.slice(2) as [string, string];
const sender = new SmtpSender(smtpServerOf(url), { name: 'Perch', address: 'perch@example.org' });
await sender.send(passwordResetMail({ to, baseUrl: 'https://perch.example', token: 'pr_token', isProven: true }));
