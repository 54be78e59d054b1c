/** A revoked API key is refused by every gateway, in every state of Redis. */
import { answeredWith, callText, machineMs, violationOf, within, type Evidence, type Guarantee } from './evidence.js';
import type { Call } from '../history/records.js';

const name = 'a revoked key is refused within a second';

const promisedMs = 1000;
/** Gateways recheck the keys of open calls once a second; check and answer take time, ms. */
const heldCheckMs = 1000;

export const revokedKeys: Guarantee = {
  name,
  promise:
    'Every round revokes a key of each account while its fault is in effect (retrying until Redis acknowledges it): a call that begins more than a second later is never answered ok; open calls with the key end within about two seconds if their gateway reaches Redis.',
  check(evidence) {
    const { history, loss } = evidence;
    // Redis may have lost a revocation during a loss.
    const kept = history.revocations.filter(({ at }) => !within(loss, at, at));
    const revokedAt = new Map(kept.map(({ apiKey, at }) => [apiKey, at]));
    return history.calls.flatMap((call) => {
      const at = revokedAt.get(call.apiKey);
      if (at === undefined || answeredWith(call)?.status !== 200) return [];
      const about = { robot: call.robot === '' ? null : call.robot, at, to: call.endedAt ?? call.at };
      const lateMs = call.at - at;
      if (lateMs > promisedMs) return [violationOf(name, `${callText(call)} began ${lateMs.toFixed(0)} ms after its key was revoked`, about)];
      const heldMs = heldFor(call, at, evidence);
      return heldMs === null ? [] : [violationOf(name, `${callText(call)} was held for ${heldMs.toFixed(0)} ms after its key was revoked`, about)];
    });
  },
};

/** Returns how long a wait or a read continued after the revocation, ms, if that is too long, else null. */
function heldFor({ at, endedAt, asked, gateway }: Call, revokedAt: number, evidence: Evidence): number | null {
  if ((asked.kind !== 'wait' && asked.kind !== 'read') || endedAt === null) return null;
  const from = Math.max(at, revokedAt);
  const well = evidence.gateways.get(gateway);
  if (well === undefined || !well.running.throughout(from, endedAt) || !well.served.throughout(from, endedAt)) return null;
  return endedAt - from > promisedMs + heldCheckMs + machineMs(evidence, gateway, from, endedAt) ? endedAt - from : null;
}
