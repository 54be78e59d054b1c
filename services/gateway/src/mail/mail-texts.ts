/** The e-mails: each as plain text, and as HTML that loads nothing. */
import type { Mail } from './smtp-sender.js';

export interface LinkMail {
  to: string;
  /** Public base URL, without a trailing slash. */
  baseUrl: string;
  token: string;
}

/** The token is in the fragment of the URL, which browsers do not send to servers. */
export function passwordResetMail({ to, baseUrl, token }: LinkMail): Mail {
  return mailOf(to, {
    subject: 'Set a new password for Perch',
    before: `Somebody asked to set a new password at ${baseUrl} for the account ${to}. To choose one, open this link:`,
    link: `${baseUrl}/reset-password#reset=${token}`,
    button: 'Set a new password',
    after: [
      'The link works once, within an hour. Choosing a new password ends all sessions of the account.',
      'If you did not ask for it, ignore this e-mail: your password stays as it is.',
    ],
  });
}

export function verificationMail({ to, baseUrl, token }: LinkMail): Mail {
  return mailOf(to, {
    subject: 'Verify your e-mail address for Perch',
    before: `At ${baseUrl} there is an account with your e-mail address ${to}. To confirm that the address is yours, open this link:`,
    link: `${baseUrl}/verify-email#verify=${token}`,
    button: 'Verify address',
    after: ['The link works once, within a day.', 'If you did not create the account, ignore this e-mail.'],
  });
}

interface Content {
  subject: string;
  before: string;
  link: string;
  button: string;
  after: string[];
}

function mailOf(to: string, { subject, before, link, button, after }: Content): Mail {
  const paragraph = (inner: string): string => `<p style="margin:0 0 16px">${inner}</p>`;
  const html = [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head>`,
    '<body style="margin:0;padding:24px;font-family:sans-serif;font-size:16px;line-height:1.5">',
    paragraph(escaped(before)),
    paragraph(`<a href="${escaped(link)}">${escaped(button)}</a>`),
    paragraph(`If that does not open, copy this address into your browser:<br>${escaped(link)}`),
    ...after.map((text) => paragraph(escaped(text))),
    '</body></html>',
  ];
  return { to, subject, text: `${[before, link, ...after].join('\n\n')}\n`, html: `${html.join('\n')}\n` };
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char]!);
}
