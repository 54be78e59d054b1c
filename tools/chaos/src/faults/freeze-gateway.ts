/** One gateway is stopped for longer than leases last, and goes on. */
import { freeze } from './processes.js';

export const freezeGateway = freeze('freeze-gateway', ({ gateways }) => gateways);
