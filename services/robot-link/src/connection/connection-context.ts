import type { LinkContext } from '../session/context.js';
import type { SessionRegistry } from './session-registry.js';

export interface ConnectionContext extends LinkContext {
  readonly registry: SessionRegistry;
}
