/** Replaces every instance, one after the other: drains it and starts a successor. */
import { defineFault } from '../define-fault.js';

export const replaceAll = defineFault('replace-all', 'both', ({ system }, random, undo) => {
  const { gateways, links, renderers, senders } = system;
  const services = random.shuffle([gateways, links, renderers, senders]);
  const replaced = (async () => {
    for (const place of services.flat()) {
      await place.drain();
      await place.start();
    }
  })();
  replaced.catch(() => undefined);
  undo.add(() => replaced);
  const order = services.map(([first]) => first!.service).join(', ');
  return Promise.resolve({ what: `every instance replaced: ${order}`, holdMs: random.between(1000, 3000) });
});
