/** Form that shows an error at the field that the service named, or else above the buttons. Input is kept. */
import { Form as AriaForm } from 'react-aria-components/Form';
import { useEffect, useMemo, useRef, type FormEvent, type ReactNode } from 'react';
import { messageOf } from '../../api/call-error.js';
import { classes } from '../classes.js';
import { fieldErrors } from './field-errors.js';
import { Notice } from '../notice.js';
import './form.css';

const noFields: readonly string[] = [];

export interface FormProps {
  error: Error | null;
  /** Names of the form's fields, with a stable identity. Errors of other fields are shown above the buttons. */
  fields?: readonly string[];
  onSubmit: () => void;
  children: ReactNode;
  actions: ReactNode;
  className?: string;
}

export function Form({ error, fields = noFields, onSubmit, children, actions, className }: FormProps) {
  // Memoized: a new object would show an error again that the user has corrected.
  const atFields = useMemo(() => fieldErrors(error, fields), [error, fields]);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const input = ({ target }: Event) => {
      if (target instanceof HTMLElement && form.current?.contains(target) === true) revalidate(target);
    };
    // On the document, after React has handled the new value: earlier, React would restore the old one.
    document.addEventListener('input', input);
    return () => document.removeEventListener('input', input);
  }, []);
  return (
    <AriaForm
      ref={form}
      className={classes('form', className)}
      validationErrors={atFields}
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {error !== null && Object.keys(atFields).length === 0 && <Notice tone="bad">{messageOf(error)}</Notice>}
      <div className="form-actions">{actions}</div>
    </AriaForm>
  );
}

/** Validates on each input, not on blur: the message would then disappear while the user presses the button below, which moves away. */
function revalidate(field: HTMLElement): void {
  if (field.getAttribute('aria-invalid') === 'true') field.dispatchEvent(new Event('change'));
}
