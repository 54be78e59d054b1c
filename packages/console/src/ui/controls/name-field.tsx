/** Field for the name of a robot or key. A name that does not fit is rejected at the field: it is never shortened or replaced silently. */
import type { ReactNode } from 'react';
import { Field } from './field.js';
import { nameProblem } from './name-problem.js';

interface NameFieldProps {
  value: string;
  onChange: (value: string) => void;
  hint?: ReactNode;
  /** Message if the name is blank; null: the name is optional. */
  blank: string | null;
}

export function NameField({ value, onChange, hint, blank }: NameFieldProps) {
  return (
    <Field
      label={
        blank === null ? (
          <>
            Name <small>(optional)</small>
          </>
        ) : (
          'Name'
        )
      }
      name="name"
      value={value}
      onChange={onChange}
      validate={(typed) => nameProblem(typed, blank)}
      hint={hint}
      isRequired={blank !== null}
      autoFocus
      autoComplete="off"
    />
  );
}
