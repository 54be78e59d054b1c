import { useEffect, useState } from 'react';
import { Button } from '../../../../ui/controls/button.js';
import { CodeBlock } from '../../../../ui/controls/copy.js';
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

export function Answer({ action, run, field, onCancel }: Props) {
  const queued = run?.state === 'answered' ? queueSentence(run.body) : null;
  return (
    <section className="answer" aria-label="Response">
      <h3>Response</h3>
      <p className="sr-only" role="status">
        {statusText(run)}
      </p>
      {run === null && <p className="field-hint">Run {action} to see the response of the service.</p>}
      {run?.state === 'running' && (
        <div className="answer-running">
          <Elapsed since={run.since} />
          <Button small onPress={onCancel}>
            Cancel
          </Button>
        </div>
      )}
      {run?.state === 'cancelled' && <p className="field-hint">Cancelled. A pending question was removed from the screen.</p>}
      {run?.state === 'answered' && (
        <>
          <Outcome tone="good" text="200 OK" ms={run.ms} />
          {queued !== null && <Notice tone="info">{queued}</Notice>}
          {noteSentences(run.body).map((text) => (
            <Notice key={text} tone="warn">
              {text}
            </Notice>
          ))}
          <CodeBlock label={`response of ${action}`} text={JSON.stringify(run.body, null, 2)} />
        </>
      )}
      {run?.state === 'failed' && (
        <>
          <Outcome tone="bad" text={`${run.status === 0 ? '' : `${run.status} `}${run.code}`} ms={run.ms} />
          {field === null ? (
            <Notice tone="bad">{run.message}</Notice>
          ) : (
            <p className="field-hint">
              The message is at <code>{field}</code> in the form.
            </p>
          )}
          {run.body !== null && (
            <details className="answer-body">
              <summary>Response body</summary>
              <CodeBlock label={`response of ${action}`} text={JSON.stringify(run.body, null, 2)} />
            </details>
          )}
        </>
      )}
    </section>
  );
}

function Outcome({ tone, text, ms }: { tone: 'good' | 'bad'; text: string; ms: number }) {
  return (
    <p className="answer-outcome">
      <span className={`answer-status answer-${tone}`}>{text}</span>
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
  return <p>Waiting for the response{seconds > 0 ? `: ${seconds} s` : ' …'}</p>;
}

function statusText(run: Run | null): string {
  if (run === null || run.state === 'failed') return '';
  if (run.state === 'running') return 'The request is running.';
  return run.state === 'cancelled' ? 'The request was cancelled.' : 'The response has arrived.';
}
