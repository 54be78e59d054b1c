import { ConsoleError } from '@perch/schema';
import { StoreError } from '@perch/store';

/** @throws {ConsoleError} conflict with the store's message, if the account has reached a limit */
export async function conflictWhenFull<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StoreError && error.kind === 'full' ? new ConsoleError('conflict', error.message) : error;
  }
}
