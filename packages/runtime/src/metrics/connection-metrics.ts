import { closeReasons } from '../http/connection-guard.js';
import type { MetricRows } from './metric-row.js';

const open = { type: 'gauge', labels: {}, help: 'Open connections from clients.' } as const;
const most = { type: 'gauge', labels: {}, help: 'Maximum number of open connections from clients.' } as const;
const closed = {
  type: 'counter',
  labels: { reason: closeReasons },
  help: 'Connections closed because there were too many: idle, unfinished (the request was half sent or the answer was not read), or refused when new.',
} as const;

export const gatewayConnectionMetrics = {
  perch_gateway_connections: open,
  perch_gateway_connections_max: most,
  perch_gateway_connections_closed_total: closed,
} as const satisfies MetricRows;

export const linkConnectionMetrics = {
  perch_link_connections: open,
  perch_link_connections_max: most,
  perch_link_connections_closed_total: closed,
} as const satisfies MetricRows;
