import { useEffect, useState } from 'react';
import { Button } from '../../../../ui/controls/button.js';
import { CopyButton } from '../../../../ui/controls/copy.js';
import { Notice } from '../../../../ui/notice.js';
import { noteSentences, queueSentence } from './note-sentences.js';
import type { Run } from './use-runs.js';

interface Props {
  action: string;
  run: Run | null;
  /** The field of the form that shows the error of a failed run, or null. */
  field: string | null;
  onCancel(): void;
}

/** Cancel is at the other end of the dock than Run, so that a double click does not run and cancel. */
export function Answer({ action, run, field, onCancel }: Props) {
  const text = bodyText(run);
  return (
    <section className="dock-box" aria-label="Response">
      <div className="dock-head">
        <h3 className={hasEnded(run) ? 'sr-only' : ''}>Response</h3>
        {hasEnded(run) && <Outcome run={run} />}
        {run?.state === 'running' && (
          <Button small onPress={onCancel}>
            Cancel
          </Button>
        )}
        {text !== null && <CopyButton text={text} label={`response of ${action}`} />}
      </div>
      <p className="sr-only" role="status">
        {statusText(run)}
      </p>
      <Body action={action} run={run} field={field} text={text} />
    </section>
  );
}

function Body({ action, run, field, text }: Omit<Props, 'onCancel'> & { text: string | null }) {
  if (run === null) return <p className="dock-body field-hint">Run {action} to see the response of the service.</p>;
  if (run.state === 'running') return <Elapsed since={run.since} />;
  if (run.state === 'cancelled') return <p className="dock-body field-hint">Cancelled. A question that it asked is gone from the screen.</p>;
  const queued = run.state === 'answered' ? queueSentence(run.body) : null;
  return (
    <section className="dock-body" aria-label={`response of ${action}`} tabIndex={0}>
      {queued !== null && <Notice tone="info">{queued}</Notice>}
      {run.state === 'answered' &&
        noteSentences(run.body).map((sentence) => (
          <Notice key={sentence} tone="warn">
            {sentence}
          </Notice>
        ))}
      {run.state === 'failed' && field === null && <Notice tone="bad">{run.message}</Notice>}
      {run.state === 'failed' && field !== null && (
        <p className="field-hint">
          The message is at <span className="mono">{field}</span> in the form.
        </p>
      )}
      {text !== null && run.state === 'answered' && <Code text={text} />}
      {text !== null && run.state === 'failed' && (
        <details className="answer-body">
          <summary>Response body</summary>
          <Code text={text} />
        </details>
      )}
    </section>
  );
}

function Code({ text }: { text: string }) {
  return (
    <pre>
      <code>{text}</code>
    </pre>
  );
}

function bodyText(run: Run | null): string | null {
  return !hasEnded(run) || run.body === null ? null : JSON.stringify(run.body, null, 2);
}

type EndedRun = Extract<Run, { ms: number }>;

function hasEnded(run: Run | null): run is EndedRun {
  return run?.state === 'answered' || run?.state === 'failed';
}

function Outcome({ run }: { run: EndedRun }) {
  const { ms } = run;
  const isGood = run.state === 'answered';
  const text = isGood ? '200 OK' : `${run.status === 0 ? '' : `${run.status} `}${run.code}`;
  return (
    <p className="answer-outcome">
      <span className={`answer-status ${isGood ? 'answer-good' : 'answer-bad'}`}>{text}</span>
      <span className="field-hint">
        {ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toLocaleString(undefined, { maximumFractionDigits: 1 })} s`}
      </span>
    </p>
  );
}

function Elapsed({ since }: { since: number }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - since) / 1000)), 250);
    return () => clearInterval(timer);
  }, [since]);
  return <p className="dock-body">Waiting for the response{seconds > 0 ? `: ${seconds} s` : ' …'}</p>;
}

function statusText(run: Run | null): string {
  if (run === null || run.state === 'failed') return '';
  if (run.state === 'running') return 'The request is running.';
  return run.state === 'cancelled' ? 'The request was cancelled.' : 'The response has arrived.';
}
