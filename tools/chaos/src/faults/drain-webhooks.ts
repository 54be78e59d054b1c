/** One sender of webhooks is told to end, breaks off what it is sending, and is started again. */
import { drain } from './processes.js';

export const drainWebhooks = drain('drain-webhooks', ({ senders }) => senders);
