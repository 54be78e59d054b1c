import type { Logger } from '@perch/runtime';
import type { Drain } from './drain.js';
import { sendFailure } from './errors.js';
import type { Exchange } from './exchange.js';
import { BytesAnswer, type Answer } from './router.js';

export interface Serving {
  drain: Drain;
  log: Logger;
}

export async function serve(exchange: Exchange, { drain, log }: Serving, handle: (exchange: Exchange) => Promise<Answer>): Promise<void> {
  try {
    drain.refuseNew();
    const answer = await handle(exchange);
    if (drain.announced) exchange.setHeader('connection', 'close');
    if (answer instanceof BytesAnswer) exchange.answerBytes(200, answer.bytes, answer.headers);
    else if (answer !== null) exchange.answer(200, typeof answer === 'string' ? answer : JSON.stringify(answer));
  } catch (error) {
    if (drain.announced) exchange.setHeader('connection', 'close');
    sendFailure(exchange, error, log);
  }
}
