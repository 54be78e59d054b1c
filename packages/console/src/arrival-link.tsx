/**
 * A link that signs in once. A stranger is signed in by it at once. Who is signed in already is asked first: they would lose their place to
 * the link's account, and somebody may have sent it for just that.
 */
import type { ConsoleSession } from '@perch/schema';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useSignIn } from './api/session.js';
import { Button } from './ui/controls/button.js';
import { Notice } from './ui/notice.js';
import { PageHead } from './ui/shell/page.js';
import { Waiting } from './waiting.js';

interface ArrivalLinkProps {
  link: string;
  session: ConsoleSession;
  /** What is shown once that is over. @param problem why the link signed nobody in */
  children: (problem: string | undefined) => ReactNode;
}

export function ArrivalLink({ link, session, children }: ArrivalLinkProps) {
  const { mutate } = useSignIn();
  const [step, setStep] = useState<'begins' | 'sent' | 'over'>('begins');
  const [problem, setProblem] = useState<string>();
  // It works once: it is sent once, whatever is rendered again.
  const sent = useRef(false);
  const send = useCallback(
    (onError: 'begins' | 'over') => {
      setStep('sent');
      mutate(
        { link },
        {
          onSuccess: () => setStep('over'),
          onError: (error) => {
            setProblem(error.message);
            setStep(onError);
          },
        },
      );
    },
    [link, mutate],
  );
  useEffect(() => {
    if (session.signed_in || sent.current) return;
    sent.current = true;
    send('over');
  }, [session.signed_in, send]);

  if (step === 'over') return children(problem);
  if (step === 'sent' || !session.signed_in) return <Waiting />;
  const { email } = session.account;
  const stay = () => {
    sent.current = true;
    setProblem(undefined);
    setStep('over');
  };
  return (
    <main className="bare">
      <PageHead
        title="Sign in as the link's account?"
        lead={`You are signed in as ${email}. The link signs you out, and in as the account it is for.`}
      />
      <div className="stack">
        {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
        <div className="row">
          <Button look="primary" onPress={stay}>
            Stay signed in
          </Button>
          {problem === undefined && <Button onPress={() => send('begins')}>Use the link</Button>}
        </div>
      </div>
    </main>
  );
}
