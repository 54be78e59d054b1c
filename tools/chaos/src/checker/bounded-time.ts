/** Every call through a gateway that runs and is reachable is answered in bounded time. */
import { callText, machineMs, violationOf, type Guarantee } from './evidence.js';

const name = 'answered in bounded time';

/** Allowance for the machine, ms: connecting, and scheduling of processes. */
const slackMs = 300;
/** Allowance for a read while its gateway's storage is slow or down, ms: up to four storage steps, each given up after 1 s. */
const storageMs = 4000;

export const boundedTime: Guarantee = {
  name,
  promise:
    'Through a gateway that runs: waits are answered within timeout_s + 14 s, reads within seconds + 1 s (+ 5 s while Redis is slow or away), other actions within 14 s.',
  check(evidence) {
    const { history, gateways } = evidence;
    return history.calls.flatMap((call) => {
      const { at, endedAt, ending, withinMs, gateway } = call;
      if (ending?.how === 'hung-up') return [];
      const well = gateways.get(gateway);
      const to = endedAt ?? at + withinMs;
      if (well === undefined || !well.running.throughout(at, to) || !well.reachable.throughout(at, to)) return [];
      const about = { robot: call.robot === '' ? null : call.robot, at, to };
      const tookMs = to - at;
      if (endedAt === null) return [violationOf(name, `${callText(call)} was never answered`, about)];
      const isRead = call.asked.kind === 'read' || call.asked.kind === 'inspect';
      const storage = isRead && !well.served.throughout(at, to) ? storageMs : 0;
      const machine = machineMs(evidence, gateway, at, to);
      if (tookMs > withinMs + storage + slackMs + machine)
        return [violationOf(name, `${callText(call)} took ${tookMs.toFixed(0)} of ${withinMs} ms`, about)];
      // If the client gave up, only the duration is checked: the answer may have arrived while the machine did not run the client.
      return ending?.how === 'broken' && ending.gaveUp !== true
        ? [violationOf(name, `${callText(call)}: its connection broke, its gateway was well`, about)]
        : [];
    });
  },
};
