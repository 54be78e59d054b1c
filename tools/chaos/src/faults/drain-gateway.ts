/** One gateway is told to end, ends what it has begun, and is started again. */
import { drain } from './processes.js';

export const drainGateway = drain('drain-gateway', ({ gateways }) => gateways);
