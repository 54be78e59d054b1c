import { EventStreamClient } from '@perch/testkit';
import type { GatewayUnderTest, Owner } from './gateway-under-test.js';

type Opened = (query?: string, headers?: Record<string, string>, owner?: Pick<Owner, 'robot' | 'apiKey'>) => Promise<EventStreamClient>;

/** Returns a function that opens an event stream of the owner's robot. All streams are closed after each test. */
export function useEventStreams(system: GatewayUnderTest, owner: Owner): { open: Opened; clients: EventStreamClient[] } {
  const clients: EventStreamClient[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await system.untilHolds(0, 'stream');
  });
  return {
    clients,
    async open(query = '', headers = {}, { robot, apiKey } = owner) {
      const client = await EventStreamClient.open(`${system.base}/v1/robots/${robot}/events?${query}`, { apiKey, headers });
      clients.push(client);
      return client;
    },
  };
}
