export const expiries = [
  { id: 'never', label: 'Never expires', days: null },
  { id: '7', label: '7 days', days: 7 },
  { id: '30', label: '30 days', days: 30 },
  { id: '90', label: '90 days', days: 90 },
  { id: '365', label: '1 year', days: 365 },
] as const;

export type ExpiryId = (typeof expiries)[number]['id'];

/** @param now ms since 1970 @returns RFC 3339; undefined: never */
export function expiresAt(id: ExpiryId, now: number): string | undefined {
  const days = expiries.find((expiry) => expiry.id === id)!.days;
  return days === null ? undefined : new Date(now + days * 86_400_000).toISOString();
}
