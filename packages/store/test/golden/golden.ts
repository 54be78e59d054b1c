import type { Store, StoreOptions } from '../../src/index.js';
import type { Value } from './bytes.js';
import { messages } from './messages.js';

export interface Golden {
  versions: Record<string, number>;
  keys: Record<string, Value>;
  read: unknown;
}

export interface GoldenMessages {
  version: number;
  sent: ReturnType<typeof messages>;
  /** The text of each batch, which contains one message. */
  toLink: string[];
  toGateway: string[];
}

/** Returns the texts that a release publishes, one message per batch. */
export async function sentBy(
  store: Store,
  openStore: (options: StoreOptions) => Promise<Store>,
  url: string,
  version: number,
): Promise<GoldenMessages> {
  const receiver = await openStore({ url, instance: 'gw-golden' });
  const sent: GoldenMessages = { version, sent: messages(), toLink: [], toGateway: [] };
  const peers = { toLink: 'link-golden', toGateway: 'gw-golden' } as const;
  for (const [direction, instance] of Object.entries(peers) as ['toLink' | 'toGateway', string][]) {
    const texts = sent[direction];
    await receiver.connections.subscriber.subscribe(`perch:{${instance}}:inbox`, (text) => void texts.push(text!));
    await announced(store, instance, version);
    const box = direction === 'toLink' ? store.linkMailbox : store.gatewayMailbox;
    for (const [i, message] of sent.sent[direction].entries()) {
      await box.send(instance, message as never);
      while (texts.length <= i) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  await receiver.close();
  return sent;
}

async function announced(store: Store, instance: string, version: number): Promise<void> {
  await store.connections.commands.set(`perch:{${instance}}:reads`, JSON.stringify({ release: 'golden', wire: [version] }));
  while (store.wire.versionFor(instance) !== version) await new Promise((resolve) => setTimeout(resolve, 5));
}
