import type { Span } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import type { Over } from './wait-outcome.js';

export async function traced(span: Span, holding: Promise<Over>): Promise<Over> {
  try {
    const over = await holding;
    span.set({ 'perch.outcome': over.outcome });
    if (over.outcome === 'failed') span.fail(over.code);
    return over;
  } catch (error) {
    span.fail(error instanceof ApiError ? error.code : 'broken_off');
    throw error;
  } finally {
    span.end();
  }
}
