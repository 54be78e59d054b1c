import { ApiError, ConsoleError, type EndSessionsAnswer, type SessionsAnswer } from '@perch/schema';
import type { Store } from '@perch/store';
import type { SessionRequest, SessionRoute } from '../route.js';
import { deviceName } from './device-name.js';

export function sessionListRoutes({ sessions }: Pick<Store, 'sessions'>): SessionRoute[] {
  const label = 'console_sessions';

  async function list({ session: { account, keyHash } }: SessionRequest): Promise<SessionsAnswer> {
    const listed = (await sessions.list(account)).map((each) => ({
      id: each.id,
      device: deviceName(each.userAgent),
      created_at: time(each.createdAt),
      last_used: each.lastUsed === null ? null : time(each.lastUsed),
      expires_at: time(each.expiresAt),
      current: each.keyHash === keyHash,
    }));
    return { ok: true, sessions: listed };
  }

  async function end({ session: { account, keyHash }, params }: SessionRequest): Promise<EndSessionsAnswer> {
    const found = (await sessions.list(account)).find(({ id }) => id === params['session']);
    if (found === undefined) throw new ApiError('not_found', 'This account has no such session; it may have ended.');
    if (found.keyHash === keyHash) throw new ConsoleError('conflict', 'This is the session of this browser. Sign out to end it.');
    await sessions.end(account, found.keyHash);
    return { ok: true, ended: 1 };
  }

  async function endOthers({ session: { account, keyHash } }: SessionRequest): Promise<EndSessionsAnswer> {
    return { ok: true, ended: await sessions.endAll(account, keyHash) };
  }

  return [
    { for: 'session', method: 'GET', path: 'sessions', cost: 1, label, handle: list },
    { for: 'session', method: 'DELETE', path: 'sessions', cost: 1, label, audit: 'session_end', handle: endOthers },
    { for: 'session', method: 'DELETE', path: 'sessions/{session}', cost: 1, label, audit: 'session_end', handle: end },
  ];
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
