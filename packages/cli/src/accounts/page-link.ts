/** URLs of the web console. Secrets are in their fragment, which browsers do not send to servers. */
import type { Store } from '@perch/store';
import type { Session } from '../session.js';
import { baseUrlDefault } from '../settings.js';

/** Returns a URL at PERCH_BASE_URL, else at a running gateway, else at the default address of npm start. */
export async function pageLink({ environment }: Session, store: Store, path: string, fragment: string): Promise<string> {
  const named = environment['PERCH_BASE_URL'] ?? '';
  const base = named === '' ? ((await store.instances.offered('page'))[0] ?? baseUrlDefault) : named;
  return `${base.replace(/\/+$/, '')}${path}#${fragment}`;
}
