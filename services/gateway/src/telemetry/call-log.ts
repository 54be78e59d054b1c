/**
 * `warn` for a call that failed because of the service, which the logger limits by code and error, so that an outage fills no disk; `info` for one that
 * was slow because of it, or that a stopping instance refused; `debug` for others.
 */
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
    if (isServiceFault(code)) this.#failed(exchange, code, now, serviceMs);
    else if (serviceMs > (exchange.robotNamed === null ? slowWithDiskMs : slowMs))
      this.#inform(fieldsOf(exchange, code, now, serviceMs), 'a call was slow by the service');
    else if (this.#log.isLevelEnabled('debug')) this.#log.debug(fieldsOf(exchange, code, now, serviceMs), 'request ended');
  }

  #failed(exchange: Exchange, code: RequestCode, now: number, serviceMs: number): void {
    const { cause } = exchange;
    const fields = fieldsOf(exchange, code, now, serviceMs);
    const message = 'a call failed by the service';
    if (code === 'draining') this.#inform(fields, message);
    // The stack of a bug is logged separately, at `error`.
    else this.#log.warn(cause === undefined || code === 'internal' ? fields : { ...fields, err: cause }, message);
  }

  /** The logger limits no lines at `info`. */
  #inform(fields: CallFields, message: string): void {
    const { code } = fields;
    const leftOut = (count: number): void => this.#log.info({ left_out: count, code, line: message }, 'equal lines were left out');
    if (this.#limit.admit(`${message} ${code}`, leftOut)) this.#log.info(fields, message);
  }
}

type CallFields = ReturnType<typeof fieldsOf>;

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
