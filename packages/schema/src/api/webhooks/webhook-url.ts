import { limits } from '../limits.js';
import { outsideUrl } from '../outside-url.js';

/** Lower-case ASCII host, no default port, `.` and `..` resolved, no fragment. `allowPrivate` permits http, any port, and private addresses. */
export function normalizedWebhookUrl(text: string, allowPrivate: boolean): { url: string } | { problem: string } {
  const parsed = outsideUrl(text, allowPrivate);
  if ('problem' in parsed) return { problem: parsed.problem + (advice[parsed.problem] ?? (allowPrivate ? '' : setting)) };
  const { href } = parsed.url;
  if (href.length > limits.webhooks.urlCharsMax) return { problem: `is longer than ${limits.webhooks.urlCharsMax} characters after normalisation` };
  return { url: href };
}

const setting =
  '; http, other ports and private addresses need PERCH_WEBHOOK_ALLOW_PRIVATE=true, which npm start without --lan sets on a machine of your own';

const advice: Record<string, string> = {
  'is not a URL': '; send one such as https://example.com/robots',
  'must not contain a user name or password': '; receivers authenticate messages by their signature',
};
