/** Another account sends halves of large bodies to a gateway and then nothing; the other accounts must be answered as before. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { defineFault } from '../define-fault.js';

const bytes = 2_000_000;
const half = Buffer.alloc(bytes / 2, ' ');
/** Within the burst of a key. */
const bodiesPerKey = 20;
const keys = 3;

export const halfSentBodies = defineFault('half-sent-bodies', 'both', async ({ system, store }, random, undo) => {
  const { account } = await store.accounts.create({ email: `${randomUUID()}@example.com` });
  const { robot } = await store.robots.create({ account });
  const victim = random.pick(system.gateways);
  // Not through its proxy: this process, which all other calls pass through, would move these bodies twice more.
  const { host, port } = victim.clients!.target;
  for (let key = 0; key < keys; key++) {
    const { apiKey } = await store.apiKeys.create({ account, name: 'half' });
    for (let i = 0; i < bodiesPerKey; i++) {
      const socket = connect(port, host);
      undo.add(() => socket.destroy());
      socket.on('error', () => undefined).resume();
      socket.write(`POST /v1/robots/${robot}/show HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\n`);
      socket.write(`content-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`);
      socket.write(half);
    }
  }
  return { what: `${keys * bodiesPerKey} half-sent bodies at ${victim.place}`, holdMs: random.between(3000, 6000) };
});
