/** One sender of webhooks is killed and started again. */
import { kill } from './processes.js';

export const killWebhooks = kill('kill-webhooks', ({ senders }) => senders);
