import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField, type TextFieldProps } from 'react-aria-components/TextField';
import { useState, type ReactNode } from 'react';
import { classes } from '../classes.js';
import { IconButton } from './button.js';
import './field.css';

export interface FieldProps extends Omit<TextFieldProps, 'children' | 'className' | 'style'> {
  /** Required unless `aria-label` is set. */
  label?: ReactNode;
  hint?: ReactNode;
  placeholder?: string;
  rows?: number;
  mono?: boolean;
  className?: string;
}

export function Field({ label, hint, placeholder, rows, mono = false, className, ...props }: FieldProps) {
  const [shown, setShown] = useState(false);
  const secret = props.type === 'password';
  const placed = placeholder === undefined ? {} : { placeholder };
  const inner = classes('field-input', mono && 'field-mono');
  return (
    <TextField {...props} type={secret && shown ? 'text' : (props.type ?? 'text')} className={classes('field', className)}>
      {label && <Label className="field-label">{label}</Label>}
      <span className="field-box">
        {rows === undefined ? <Input className={inner} {...placed} /> : <TextArea className={inner} rows={rows} {...placed} />}
        {secret && <IconButton icon="eye" label={shown ? 'Hide password' : 'Show password'} onPress={() => setShown(!shown)} />}
      </span>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error" />
    </TextField>
  );
}
