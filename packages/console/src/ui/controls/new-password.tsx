/** Field for a new password. The page checks only its length; the service also rejects common passwords. */
import { Field } from './field.js';

const charsMin = 12;
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
          ? `Use at least ${charsMin} characters. A few words will do.`
          : [...typed].length > charsMax
            ? `Use at most ${charsMax} characters.`
            : null
      }
      hint={`At least ${charsMin} characters, and not a common password. A few unrelated words work well.`}
    />
  );
}
