import type { SharedBy } from '@perch/schema';

export function sharedText({ by, permission }: SharedBy): string {
  return permission === 'use' ? `Shared by ${by} to use.` : `Shared by ${by} to watch.`;
}
