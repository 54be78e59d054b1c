import { Type } from 'typebox';
import type { ErrorCode } from '../base/error.js';
import { openObject } from '../base/open-object.js';
import { linkMessage, robotClock, shortText } from './fields.js';

/** Codes of a robot's refusals, with the error code that the caller gets. */
export const nackCodes = {
  bad_args: 'bad_argument',
  unknown: 'not_offered',
  busy: 'robot_busy',
  card_showing: 'card_showing',
  hardware: 'robot_hardware',
} as const satisfies Record<string, ErrorCode>;

export type NackCode = keyof typeof nackCodes;

export const AckSchema = linkMessage(
  'ack',
  {
    id: shortText(),
    ms: robotClock(),
    ok: Type.Boolean(),
    result: Type.Optional(openObject('With ok true.')),
    code: Type.Optional(Type.String({ description: `With ok false: ${Object.keys(nackCodes).join(', ')}; any other counts as hardware.` })),
    error: Type.Optional(Type.String({ description: 'With ok false.' })),
  },
  'Reply to the command with this id. A repeated id gets the same ack again.',
);

interface AckHead {
  t: 'ack';
  id: string;
  ms: number;
}
export type Ack = AckHead & ({ ok: true; result: Record<string, unknown> } | { ok: false; code: NackCode; error: string });

export function completeAck(sent: AckHead & { ok: boolean; result?: Record<string, unknown>; code?: string; error?: string }): Ack {
  const { t, id, ms } = sent;
  if (sent.ok) return { t, id, ms, ok: true, result: sent.result ?? {} };
  const code = sent.code !== undefined && Object.hasOwn(nackCodes, sent.code) ? (sent.code as NackCode) : 'hardware';
  return { t, id, ms, ok: false, code, error: sent.error ?? code };
}
