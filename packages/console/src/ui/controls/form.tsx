/**
 * A form whose failures land where they belong: at the field the service named, else above the buttons. What was typed stays.
 * Browser validation is left to the fields' own `validate` and `isRequired`, told at the field as well.
 */
import { Form as AriaForm } from 'react-aria-components/Form';
import { useEffect, useMemo, useRef, type FormEvent, type ReactNode } from 'react';
import { messageOf } from '../../api/call-error.js';
import { classes } from '../classes.js';
import { fieldErrors } from './field-errors.js';
import { Notice } from '../notice.js';
import './form.css';

const noFields: readonly string[] = [];

export interface FormProps {
  /** What the last try failed with. */
  error: Error | null;
  /** Names of the fields there are, a list that stays the same; an error of another one stands above the buttons. */
  fields?: readonly string[];
  onSubmit: () => void;
  children: ReactNode;
  /** The buttons below. */
  actions: ReactNode;
  className?: string;
}

export function Form({ error, fields = noFields, onSubmit, children, actions, className }: FormProps) {
  // The same object for the same failure: a new one would bring back an error that typing has answered.
  const atFields = useMemo(() => fieldErrors(error, fields), [error, fields]);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const input = ({ target }: Event) => {
      if (target instanceof HTMLElement && form.current?.contains(target) === true) tellAgain(target);
    };
    // At the document, where the page has taken note of the new value: told before, it would put the old one back.
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

/**
 * What is wrong at a field is looked at again with each character that mends it. The library does so when the field is left: then the message
 * goes while the button below it is pressed, the button moves up, and the press hits nothing.
 */
function tellAgain(field: HTMLElement): void {
  if (field.getAttribute('aria-invalid') === 'true') field.dispatchEvent(new Event('change'));
}
