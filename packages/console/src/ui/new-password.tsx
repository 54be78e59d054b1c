/** A password to be set: its one rule is told before and checked while it is typed. */
import { Field } from './field.js';

const charsMin = 10;
const charsMax = 200;

export function NewPassword({ value, onChange, label = 'Password' }: { value: string; onChange: (value: string) => void; label?: string }) {
  return (
    <Field
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      value={value}
      onChange={onChange}
      isRequired
      validate={(typed) =>
        [...typed].length < charsMin
          ? `Use at least ${charsMin} characters; a few words are fine.`
          : [...typed].length > charsMax
            ? `Use at most ${charsMax} characters.`
            : null
      }
      hint={`At least ${charsMin} characters. A few words in a row are good.`}
    />
  );
}
