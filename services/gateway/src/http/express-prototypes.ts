/** Node creates objects with Express' prototypes: replacing the prototype of each costs more CPU than the rest of Express' work. */
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

export function expressClasses(app: Express): { IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse } {
  return { IncomingMessage: withPrototype(IncomingMessage, app.request), ServerResponse: withPrototype(ServerResponse, app.response) };
}

/** Returns a constructor that takes the same arguments as `base` and whose objects have `prototype`, which inherits from that of `base`. */
function withPrototype<C extends typeof IncomingMessage | typeof ServerResponse>(base: C, prototype: object): C {
  // Node's constructors are functions, not classes. `Reflect.construct` would work too, but cost a tenth of the time of each request.
  const construct = base as unknown as (this: object, first: unknown, second: unknown) => void;
  function Made(this: object, first: unknown, second: unknown): void {
    construct.call(this, first, second);
  }
  // V8 sizes objects by the constructor's parents. Without this, every property would be looked up in a hash table.
  Object.setPrototypeOf(Made, base);
  Made.prototype = prototype;
  return Made as unknown as C;
}
