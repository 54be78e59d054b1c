import type { ConsoleKey, KeyScope } from '@perch/schema';

export const scopes: readonly { id: KeyScope; label: string; note: string }[] = [
  { id: 'read', label: 'Read', note: 'Robots, their state and events, screens, activity' },
  { id: 'act', label: 'Act', note: 'Screen, face, head, lights and sound; with Read, webhooks' },
  { id: 'ask', label: 'Ask', note: 'Questions, menus and regions that wait for a tap' },
  {
    id: 'approve',
    label: 'Request approvals',
    note: "Questions of an agent's hook, as approvals",
  },
];

/** A key that asks for approvals is one that the user made for that. */
export const preselected = (offered: readonly KeyScope[]): KeyScope[] => offered.filter((scope) => scope !== 'approve');

export function mayDo({ scopes: of }: ConsoleKey): string {
  const names = scopes.filter(({ id }) => of.includes(id)).map(({ label }) => label.toLowerCase());
  const last = names.pop() ?? 'nothing';
  return `Can ${names.length === 0 ? last : `${names.join(', ')} and ${last}`}`;
}
