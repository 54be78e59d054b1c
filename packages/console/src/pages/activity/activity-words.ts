import type { ActionName, ActivityView, ChangeKind } from '@perch/schema';

type Acting = Exclude<ActionName, 'state' | 'events'> | 'stop' | 'scene';

export const actionLabels: Record<Acting, string> = {
  show: 'Show a card',
  say: 'Say',
  speak: 'Speak',
  face: 'Change the face',
  move: 'Move',
  leds: 'Set the LEDs',
  sound: 'Play a sound',
  ask: 'Ask',
  menu: 'Show a menu',
  clickmap: 'Show a clickmap',
  command: 'Run a command',
  stop: 'Stop',
  scene: 'Run a scene',
};

export const changeLabels: Record<ChangeKind, string> = {
  sign_up: 'Create account',
  sign_in: 'Sign in',
  oidc_sign_in: 'Sign in with a provider',
  passkey_sign_in: 'Sign in with a passkey',
  sign_in_link: 'Create sign-in link',
  sign_out: 'Sign out',
  session_end: 'End sessions',
  password_change: 'Change password',
  password_reset_request: 'Request password reset',
  password_reset: 'Reset password',
  verification_send: 'Send verification e-mail',
  email_verify: 'Verify e-mail address',
  account_export: 'Download account data',
  account_remove: 'Delete account',
  passkey_add: 'Add passkey',
  passkey_change: 'Rename passkey',
  passkey_remove: 'Remove passkey',
  key_create: 'Create key',
  key_secret_roll: 'Replace key secret',
  key_overlap_end: 'End old key secret',
  key_revoke: 'Revoke key',
  client_connect: 'Connect client',
  client_disconnect: 'Disconnect client',
  robot_add: 'Add robot',
  pairing_approve: 'Pair robot',
  robot_change: 'Edit robot',
  robot_remove: 'Remove robot',
  robot_token_renew: 'Replace robot token',
  robot_update: 'Update robot',
  robot_update_started: 'Robot update started',
  robot_update_installed: 'Robot update installed',
  robot_update_failed: 'Robot update failed',
  webhook_create: 'Add webhook',
  webhook_change: 'Edit webhook',
  webhook_secret_roll: 'Replace webhook secret',
  webhook_remove: 'Delete webhook',
  share_link_create: 'Create share link',
  share_link_remove: 'Withdraw share link',
  share_accept: 'Accept shared robot',
  share_change: 'Change sharing',
  share_remove: 'Stop sharing',
  share_leave: 'Leave shared robot',
};

const labels: Readonly<Record<string, string>> = { ...actionLabels, ...changeLabels };

export function labelOfAction(action: string): string {
  return labels[action] ?? inWords(action);
}

export type Tone = 'good' | 'warn' | 'bad';

const outcomes: Readonly<Record<string, readonly [label: string, tone: Tone]>> = {
  ok: ['Done', 'good'],
  answered: ['Answered', 'good'],
  timed_out: ['No answer', 'warn'],
  replaced: ['Replaced', 'warn'],
  replayed: ['Repeated, done once', 'good'],
  client_closed: ['Program disconnected', 'warn'],
};

export const outcomeFilters = [
  { id: 'ok', label: 'Done' },
  { id: 'answered', label: 'Answered' },
  { id: 'timed_out', label: 'No answer' },
  { id: 'replaced', label: 'Replaced' },
  { id: 'refused', label: 'All errors' },
] as const;

/** The code of an error is named in words too: it is what a program got. */
export function labelOfOutcome({ outcome, count }: Pick<ActivityView, 'outcome' | 'count'>): { label: string; tone: Tone } {
  const [label, tone] = outcomes[outcome] ?? [inWords(outcome), 'bad' as const];
  return { label: count > 1 ? `${label}, ${count} times` : label, tone };
}

function inWords(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns text such as `40 ms`, `2.1 s`, `2 min 5 s`. */
export function durationText(seconds: number): string {
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
