/** `info` for a call that failed or was slow because of the service, `debug` for others. `info` is rate-limited by code: an outage fills no disk. */
import { EqualLines, type Logger, type RequestCode } from '@perch/runtime';
import { idsOf, isServiceFault } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';

/** A call is slow if the service's own time exceeds this, ms. A call that addresses no robot may wait for Redis to write to disk. */
const slowMs = 1000;
const slowWithDiskMs = 3000;

export class CallLog {
  readonly #log: Logger;
  readonly #limit = new EqualLines();

  constructor(log: Logger) {
    this.#log = log;
  }

  ended(exchange: Exchange, code: RequestCode, now: number): void {
    const serviceMs = exchange.time.ms(now);
    if (isServiceFault(code)) this.#report(exchange, code, now, serviceMs, 'a call failed by the service');
    else if (serviceMs > (exchange.robotNamed === null ? slowWithDiskMs : slowMs))
      this.#report(exchange, code, now, serviceMs, 'a call was slow by the service');
    else if (this.#log.isLevelEnabled('debug')) this.#log.debug(fieldsOf(exchange, code, now, serviceMs), 'request ended');
  }

  #report(exchange: Exchange, code: RequestCode, now: number, serviceMs: number, message: string): void {
    const leftOut = (count: number): void => this.#log.info({ left_out: count, code, line: message }, 'equal lines were left out');
    if (!this.#limit.admit(`${message} ${code}`, leftOut)) return;
    const { cause } = exchange;
    const fields = fieldsOf(exchange, code, now, serviceMs);
    // The stack of a bug is logged separately, at `error`.
    this.#log.info(cause === undefined || code === 'internal' ? fields : { ...fields, err: cause }, message);
  }
}

function fieldsOf(exchange: Exchange, code: RequestCode, now: number, serviceMs: number) {
  const { action, robot, startedAt } = exchange;
  return {
    ...idsOf(exchange),
    action,
    code,
    ...(robot === null ? {} : { robot }),
    ms: Math.round(now - startedAt),
    service_ms: Math.round(serviceMs),
  };
}
