/**
 * A form whose failures land where they belong: at the field the service named, else above the buttons. What was typed stays.
 * Browser validation is left to the fields' own `validate` and `isRequired`, told at the field as well.
 */
import { Form as AriaForm } from 'react-aria-components/Form';
import type { FormEvent, ReactNode } from 'react';
import { messageOf } from '../api/call-error.js';
import { classes } from './classes.js';
import { fieldErrors } from './field-errors.js';
import { Notice } from './notice.js';
import './form.css';

export interface FormProps {
  /** What the last try failed with. */
  error?: unknown;
  /** Names of the fields there are; an error of another one stands above the buttons. */
  fields?: readonly string[];
  onSubmit: () => void;
  children: ReactNode;
  /** The buttons below. */
  actions: ReactNode;
  className?: string;
}

export function Form({ error, fields = [], onSubmit, children, actions, className }: FormProps) {
  const atFields = fieldErrors(error, fields);
  return (
    <AriaForm
      className={classes('form', className)}
      validationErrors={atFields}
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {error != null && Object.keys(atFields).length === 0 && <Notice tone="bad">{messageOf(error)}</Notice>}
      <div className="form-actions">{actions}</div>
    </AriaForm>
  );
}
