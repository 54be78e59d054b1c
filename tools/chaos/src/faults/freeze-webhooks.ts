/** One sender of webhooks is stopped for a while, and goes on. */
import { freeze } from './processes.js';

export const freezeWebhooks = freeze('freeze-webhooks', ({ senders }) => senders);
