/** Redeems a one-time sign-in URL. A signed-in user has to confirm: someone may have sent the link to switch them to another account. */
import type { ConsoleSession } from '@perch/schema';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useSignIn } from './api/session.js';
import { Button } from './ui/controls/button.js';
import { Notice } from './ui/notice.js';
import { PageHead } from './ui/shell/page.js';
import { Waiting } from './waiting.js';

interface SignInLinkProps {
  link: string;
  session: ConsoleSession;
  /** Rendered afterwards. @param problem error message if the sign-in failed */
  children: (problem: string | undefined) => ReactNode;
}

export function SignInLink({ link, session, children }: SignInLinkProps) {
  const { mutate } = useSignIn();
  const [step, setStep] = useState<'initial' | 'sent' | 'done'>('initial');
  const [problem, setProblem] = useState<string>();
  // The secret works once, so it is sent once, also if effects run twice.
  const sent = useRef(false);
  const send = useCallback(
    (onError: 'initial' | 'done') => {
      setStep('sent');
      mutate(
        { link },
        {
          onSuccess: () => setStep('done'),
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
    send('done');
  }, [session.signed_in, send]);

  if (step === 'done') return children(problem);
  if (step === 'sent' || !session.signed_in) return <Waiting />;
  const { email } = session.account;
  const stay = () => {
    sent.current = true;
    setProblem(undefined);
    setStep('done');
  };
  return (
    <main className="bare">
      <PageHead
        title="Use the sign-in link?"
        lead={`You are signed in as ${email}. The link signs you out and signs you in to the account it was created for.`}
      />
      <div className="stack">
        {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
        <div className="row">
          <Button look="primary" onPress={stay}>
            Stay signed in
          </Button>
          {problem === undefined && <Button onPress={() => send('initial')}>Use the link</Button>}
        </div>
      </div>
    </main>
  );
}
