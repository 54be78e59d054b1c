import type { ShareLinkAnswer } from '@perch/schema';
import type { SessionRequest, SessionRoute } from '../route.js';
import type { SharingService } from './sharing-service.js';

export function sharingRoutes(sharing: SharingService): SessionRoute[] {
  async function people({ session, params }: SessionRequest): Promise<object> {
    return sharing.people(session.account, params['robot']!);
  }
  async function makeLink({ session, params, body }: SessionRequest): Promise<object> {
    return sharing.makeLink(session.account, params['robot']!, await body());
  }
  async function undo({ session, params }: SessionRequest, made: unknown): Promise<void> {
    await sharing.removeLink(session.account, params['robot']!, (made as ShareLinkAnswer).link.id);
  }
  async function removeLink({ session, params }: SessionRequest): Promise<object> {
    await sharing.removeLink(session.account, params['robot']!, params['link']!);
    return { ok: true };
  }
  async function change({ session, params, body, auditNote }: SessionRequest): Promise<object> {
    return sharing.change(session.account, params['robot']!, params['person']!, await body(), auditNote);
  }
  async function remove({ session, params, auditNote }: SessionRequest): Promise<object> {
    await sharing.remove(session.account, params['robot']!, params['person']!, auditNote);
    return { ok: true };
  }
  async function find({ session, body }: SessionRequest): Promise<object> {
    return sharing.offer(session.account, await body());
  }
  async function accept({ session, body, auditNote }: SessionRequest): Promise<object> {
    return sharing.accept(session.account, await body(), auditNote);
  }
  async function leave({ session, params, auditNote }: SessionRequest): Promise<object> {
    await sharing.leave(session.account, params['robot']!, auditNote);
    return { ok: true };
  }

  const [ofRobot, ofAccount] = ['console_people', 'console_shares'] as const;
  return [
    { for: 'session', method: 'GET', path: 'robots/{robot}/people', cost: 1, label: ofRobot, handle: people },
    { for: 'session', method: 'PATCH', path: 'robots/{robot}/people/{person}', cost: 1, label: ofRobot, audit: 'share_change', handle: change },
    { for: 'session', method: 'DELETE', path: 'robots/{robot}/people/{person}', cost: 1, label: ofRobot, audit: 'share_remove', handle: remove },
    {
      for: 'session',
      method: 'POST',
      path: 'robots/{robot}/share-links',
      cost: 1,
      label: ofRobot,
      audit: 'share_link_create',
      handle: makeLink,
      undo,
    },
    {
      for: 'session',
      method: 'DELETE',
      path: 'robots/{robot}/share-links/{link}',
      cost: 1,
      label: ofRobot,
      audit: 'share_link_remove',
      handle: removeLink,
    },
    { for: 'session', method: 'POST', path: 'shares/find', cost: 1, label: ofAccount, handle: find },
    { for: 'session', method: 'POST', path: 'shares', cost: 1, label: ofAccount, audit: 'share_accept', handle: accept },
    { for: 'session', method: 'DELETE', path: 'shares/{robot}', cost: 1, label: ofAccount, audit: 'share_leave', handle: leave },
  ];
}
