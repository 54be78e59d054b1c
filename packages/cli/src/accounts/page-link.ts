/** Links to the web page of the running system. What is secret in them stands behind the #, which no server gets to see. */
import type { Store } from '@perch/store';
import type { Session } from '../session.js';
import { baseUrlDefault } from '../settings.js';

/** @param fragment behind the # @returns at PERCH_BASE_URL, else at a gateway that runs, else where npm start puts one */
export async function pageLink({ environment }: Session, store: Store, path: string, fragment: string): Promise<string> {
  const named = environment['PERCH_BASE_URL'] ?? '';
  const base = named === '' ? ((await store.instances.offered('page'))[0] ?? baseUrlDefault) : named;
  return `${base.replace(/\/+$/, '')}${path}#${fragment}`;
}
