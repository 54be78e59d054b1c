/** Answers for the page where an account has the maximum number of something. */
import { ConsoleError } from '@perch/schema';
import { StoreError } from '@perch/store';

/** Runs the work and turns a bound that was reached into the page's 409. @throws {ConsoleError} conflict, with the sentence of the bound */
export async function conflictWhenFull<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StoreError && error.kind === 'full' ? new ConsoleError('conflict', error.message) : error;
  }
}
