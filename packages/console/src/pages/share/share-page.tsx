/** Shows the robot that a share link offers to the signed-in user. Opening the page uses nothing up: the user has to accept. */
import type { ShareOfferAnswer } from '@perch/schema';
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { messageOf } from '../../api/call-error.js';
import { nameOf } from '../../api/robots.js';
import { useSignedIn } from '../../api/session.js';
import { useAcceptShare, useShareOffer } from './sharing.js';
import { Button, LinkButton } from '../../ui/controls/button.js';
import { DecisionButton } from '../../ui/decision/decision-button.js';
import { Notice } from '../../ui/notice.js';
import { Empty, Failed, Loading, PageHead } from '../../ui/shell/page.js';
import { forgetShareToken } from '../../url-fragment.js';
import './share-page.css';

/** @param token undefined: the address has none, or it was used */
export default function SharePage({ token }: { token: string | undefined }) {
  // Another link that is opened in this tab changes only the fragment, which is read when the page loads.
  useEffect(() => {
    const reload = (): void => location.reload();
    window.addEventListener('hashchange', reload);
    return () => window.removeEventListener('hashchange', reload);
  }, []);
  return token === undefined ? <NoOffer text="Open the whole link that you were sent; it works once." /> : <Offered token={token} />;
}

function Offered({ token }: { token: string }) {
  const { data, error, refetch } = useShareOffer(token);
  if (data !== undefined) return <Offer token={token} offer={data.offer} />;
  if (error?.status === 404) return <NoOffer text={messageOf(error)} />;
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  return <Loading label="Loading the link" />;
}

function Offer({ token, offer: { robot, by, permission, yours } }: { token: string; offer: ShareOfferAnswer['offer'] }) {
  const { account } = useSignedIn();
  const accept = useAcceptShare();
  const navigate = useNavigate();
  const leave = (path: string): void => {
    forgetShareToken();
    void navigate(path, { replace: true });
  };
  if (yours)
    return (
      <>
        <PageHead title="Your share link" lead={`It shares ${nameOf(robot)} with the first person who accepts it.`} />
        <Empty
          title="This robot is your own"
          actions={<LinkButton to={`/robots/${encodeURIComponent(robot.id)}/settings`}>Go to its settings</LinkButton>}
        >
          <p>Send the link to the person with whom you want to share the robot. They open it signed in to their own account.</p>
        </Empty>
      </>
    );
  return (
    <div className="narrow">
      <PageHead title={`Accept ${nameOf(robot)}?`} lead={`${by} shares this robot with you.`} />
      <section className="card share-offer">
        <p>
          {permission === 'use'
            ? 'You may watch it, run actions and scenes on it, and stop it. Its owner sees in their activity what you do.'
            : 'You may watch it: its screen, readings and events. You cannot run actions.'}
        </p>
        <p className="muted">
          It appears among the robots of {account.email}, and you can leave it at any time. Your API keys do not reach it. Its owner sees your{' '}
          <span className="unbroken">e-mail</span> address, and can end the sharing.
        </p>
        {accept.error && <Notice tone="bad">{messageOf(accept.error)}</Notice>}
        <div className="row">
          <DecisionButton
            about={permission}
            isPending={accept.isPending}
            onPress={() => accept.mutate(token, { onSuccess: ({ robot: { id } }) => leave(`/robots/${encodeURIComponent(id)}`) })}
          >
            Accept
          </DecisionButton>
          <Button onPress={() => leave('/robots')}>Not now</Button>
        </div>
      </section>
    </div>
  );
}

function NoOffer({ text }: { text: string }) {
  return (
    <>
      <PageHead title="Share link" />
      <Empty title="There is nothing to accept" actions={<LinkButton to="/robots">Go to your robots</LinkButton>}>
        <p>{text}</p>
      </Empty>
    </>
  );
}
