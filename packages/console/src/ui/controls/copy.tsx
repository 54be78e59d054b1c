/** Text to take along: a line or a block with a button that copies it and says that it did. */
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from './button.js';
import './copy.css';

/** How long it says that it did, ms. */
const saidMs = 2000;

export function CopyButton({ text, label, small = true }: { text: string; /** What is copied. */ label: string; small?: boolean }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    setState((await copied(text)) ? 'copied' : 'failed');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setState('idle'), saidMs);
  };
  return (
    <>
      <Button small={small} icon={state === 'copied' ? 'check' : 'copy'} aria-label={`Copy ${label}`} onPress={() => void copy()}>
        {state === 'copied' ? 'Copied' : state === 'failed' ? 'Select it' : 'Copy'}
      </Button>
      <span className="sr-only" role="status">
        {state === 'copied' ? `Copied: ${label}` : state === 'failed' ? 'The browser does not let this page copy. Select the text and copy it.' : ''}
      </span>
    </>
  );
}

/** A value on one line. */
export function CopyLine({ label, text, secret = false }: { label: string; text: string; secret?: boolean }) {
  const id = useId();
  return (
    <div className="copy-line">
      <span className="field-label" id={id}>
        {label}
      </span>
      <span className={secret ? 'copy-box copy-secret' : 'copy-box'}>
        {/* To be reached by Tab, and read letter by letter. */}
        <span className="copy-text mono" aria-labelledby={id} role="textbox" aria-readonly="true" tabIndex={0}>
          {text}
        </span>
        <CopyButton text={text} label={label} />
      </span>
    </div>
  );
}

/** Several lines, such as a file or a command. */
export function CodeBlock({ text, label, caption }: { text: string; label: string; /** Such as where it goes. */ caption?: string }) {
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
    // Without https there is no clipboard to write to.
    return copiedBySelection(text);
  }
}

function copiedBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr-only';
  area.readOnly = true;
  const before = document.activeElement;
  // Inside of an open dialog, which would not let go of the focus.
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
