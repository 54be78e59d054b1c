import { useEffect, useId, useRef, useState } from 'react';
import { Button } from './button.js';
import './copy.css';

const resultMs = 2000;

export function CopyButton({
  text,
  label,
  small = true,
}: {
  text: string;
  /** Name of the text, for screen readers. */ label: string;
  small?: boolean;
}) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    setState((await copied(text)) ? 'copied' : 'failed');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState('idle'), resultMs);
  };
  return (
    <>
      <Button small={small} icon={state === 'copied' ? 'check' : 'copy'} aria-label={`Copy ${label}`} onPress={() => void copy()}>
        {state === 'copied' ? 'Copied' : state === 'failed' ? 'Copy failed' : 'Copy'}
      </Button>
      <span className="sr-only" role="status">
        {state === 'copied' ? `Copied: ${label}` : state === 'failed' ? 'The browser blocked copying. Select the text and copy it.' : ''}
      </span>
    </>
  );
}

export function CopyLine({ label, text, secret = false }: { label: string; text: string; secret?: boolean }) {
  const id = useId();
  return (
    <div className="copy-line">
      <span className="field-label" id={id}>
        {label}
      </span>
      <span className={secret ? 'copy-box copy-secret' : 'copy-box'}>
        {/* A read-only textbox, so that keyboard users can focus it and screen readers can spell it. */}
        <span className="copy-text mono" aria-labelledby={id} role="textbox" aria-readonly="true" tabIndex={0}>
          {text}
        </span>
        <CopyButton text={text} label={label} />
      </span>
    </div>
  );
}

export function CodeBlock({
  text,
  label,
  caption,
}: {
  text: string;
  label: string;
  /** Shown above, such as where to put the text. */ caption?: string;
}) {
  return (
    <div className="code-block">
      <div className="code-head">
        <span className="muted">{caption}</span>
        <CopyButton text={text} label={label} />
      </div>
      <section aria-label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
    </div>
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard API requires https.
    return copiedBySelection(text);
  }
}

function copiedBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr-only';
  area.readOnly = true;
  const before = document.activeElement;
  // Inside an open dialog, since a dialog traps the focus.
  (before?.closest('[role=dialog], [role=alertdialog]') ?? document.body).append(area);
  area.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    area.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
