/**
 * A message that this release cannot read. Every version, including later ones, guarantees:
 * - A batch is a JSON array of messages (version 1), or an object with `v`, its version, and `m`, an array of its messages.
 * - A message is a string, an array whose first element is a string, or an object with a string `id`. That string is the id under which a gateway
 *   waits for the reply; an id that begins with a dot is the receiver's own, shortened. Without an id, nothing waits.
 * - The waiting gateway is the part of the id before its last dot.
 */
import type { MessageProblem } from '@perch/schema';

/** `batch`: not a batch at all; `version`: one that this release does not read; `type` and `shape`: a single message. */
export type UnreadableReason = 'batch' | 'version' | 'type' | 'shape';

const instanceId = /^[\w-]{1,64}$/;
const shownChars = 40;

export class UnreadableMessage {
  readonly reason: UnreadableReason;
  /** Id for which the sender awaits a reply; '' for none. */
  readonly id: string;
  /** Instance id of the waiting gateway; '' for none. */
  readonly gateway: string;
  readonly claimedType: string;

  constructor(packed: unknown, receiver: string, reason: MessageProblem | UnreadableReason) {
    const id = idOf(packed);
    this.reason = reason;
    this.id = id.startsWith('.') ? receiver + id : id;
    const gateway = beforeLastDot(this.id);
    this.gateway = instanceId.test(gateway) ? gateway : '';
    this.claimedType = claimedTypeOf(packed).slice(0, shownChars);
  }
}

export function beforeLastDot(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('.')));
}

function idOf(packed: unknown): string {
  if (typeof packed === 'string') return packed;
  if (Array.isArray(packed)) return typeof packed[0] === 'string' ? packed[0] : '';
  if (typeof packed !== 'object' || packed === null) return '';
  const { id, record } = packed as { id?: unknown; record?: unknown };
  if (typeof id === 'string') return id;
  // In version 1 a wait has its id only in its record.
  const call = typeof record === 'object' && record !== null ? (record as { call?: unknown }).call : null;
  return typeof call === 'string' ? call : '';
}

function claimedTypeOf(packed: unknown): string {
  if (Array.isArray(packed)) {
    const name: unknown = packed[typeof packed[3] === 'number' ? 5 : 6];
    return typeof name === 'string' ? `command ${name}` : 'array';
  }
  if (typeof packed !== 'object' || packed === null) return typeof packed;
  const { t } = packed as { t?: unknown };
  return typeof t === 'string' ? t : 'object';
}
