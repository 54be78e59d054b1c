/** One account subscribes to all events of its robots, the other to some events of half of them. */
import { randomUUID } from 'node:crypto';
import type { EventName } from '@perch/schema';
import type { Store, WebhookRecord } from '@perch/store';
import { until } from '@perch/testkit';
import type { Actors } from '../actors.js';
import type { Evidence } from '../checker/evidence.js';
import { awaitedMessages, missing } from '../checker/messages.js';
import type { History } from '../history/history.js';
import type { Random } from '../random.js';
import { Receiver } from './receiver.js';

export interface RoundWebhooksOptions {
  store: Store;
  actors: { readonly tenants: readonly Pick<Actors['tenants'][number], 'account' | 'robots'>[] };
  history: History;
  random: Random;
  /** Redis may still be coming back. */
  withinMs: number;
}

const some: readonly EventName[] = ['tap', 'pat', 'tag'];

export class RoundWebhooks {
  readonly #store: Store;
  readonly #history: History;
  readonly #receiver: Receiver;
  readonly #records: WebhookRecord[] = [];

  private constructor({ store, history }: RoundWebhooksOptions, receiver: Receiver) {
    this.#store = store;
    this.#history = history;
    this.#receiver = receiver;
  }

  /** @throws if Redis does not create the webhooks in time; nothing is left then */
  static async open(options: RoundWebhooksOptions): Promise<RoundWebhooks> {
    const webhooks = new RoundWebhooks(options, await Receiver.open(options.history, options.random));
    try {
      for (const [i, { account, robots }] of options.actors.tenants.entries()) {
        const narrow = i > 0 ? { robots: robots.filter((_, at) => at % 2 === 0), names: [...some] } : {};
        await until(() => webhooks.#make(account, robots, narrow), { timeoutMs: options.withinMs, everyMs: 100, what: 'a webhook' });
      }
      return webhooks;
    } catch (error) {
      await webhooks.close();
      throw error;
    }
  }

  async arrived(loss: Evidence['loss'], withinMs: number): Promise<void> {
    const awaited = awaitedMessages(this.#history, loss);
    await until(() => missing(awaited, this.#history.messages).length === 0, { timeoutMs: withinMs, everyMs: 50 }).catch(() => undefined);
  }

  /** So that nothing is sent to the following rounds. */
  async close(): Promise<void> {
    await Promise.all(this.#records.map(({ account, id }) => this.#store.webhooks.remove(account, id).catch(() => false)));
    await this.#receiver.close();
  }

  async #make(account: string, all: readonly string[], narrow: { robots?: string[]; names?: EventName[] }): Promise<true> {
    const path = `/${randomUUID()}`;
    const record = await this.#store.webhooks.create(account, { url: this.#receiver.url(path), ...narrow });
    this.#records.push(record);
    this.#receiver.expect(path, record.secret);
    this.#history.hook({ path, account, robots: narrow.robots ?? all, names: narrow.names ?? null });
    return true;
  }
}
