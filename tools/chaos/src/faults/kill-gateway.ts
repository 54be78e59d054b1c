/** One gateway is killed and started again. */
import { kill } from './processes.js';

export const killGateway = kill('kill-gateway', ({ gateways }) => gateways);
