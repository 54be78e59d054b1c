/** On the label `code` of `perch_gateway_requests_total`, by who caused a failure (docs/slo.md). */
import { serviceFaultCodes, type ErrorCode } from '@perch/schema';

const robotCodes = ['not_offered', 'robot_offline', 'robot_busy', 'robot_hardware', 'no_ack'] as const satisfies readonly ErrorCode[];

export const failedByService = `code=~"${serviceFaultCodes.join('|')}"`;
export const failedByRobot = `code=~"${robotCodes.join('|')}"`;
export const failedByCaller = `code!~"${['ok', 'client_closed', ...serviceFaultCodes, ...robotCodes].join('|')}"`;

/** Their duration does not depend on people or sounds. */
export const quickActions = 'action=~"command|face|leds|move|show|state|stop|robots"';
