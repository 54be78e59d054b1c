import { Checkbox } from 'react-aria-components/Checkbox';
import { CheckboxGroup } from 'react-aria-components/CheckboxGroup';
import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import { Text } from 'react-aria-components/Text';
import type { ReactNode } from 'react';
import { classes } from '../classes.js';
import { Icon, type IconName } from '../icon.js';
import './choices.css';
import './field.css';

export interface Choice<T extends string> {
  id: T;
  label: string;
  note?: ReactNode;
  icon?: IconName;
}

interface Group<T extends string> {
  label: string;
  name?: string;
  hint?: ReactNode;
  options: readonly Choice<T>[];
}

/** @param dense several options per row, for short labels */
export function Choices<T extends string>({
  label,
  name,
  hint,
  options,
  value,
  onChange,
  problem = null,
  dense = false,
}: Group<T> & { value: readonly T[]; onChange: (value: T[]) => void; /** Validation error. */ problem?: string | null; dense?: boolean }) {
  return (
    <CheckboxGroup
      className="choices"
      {...(name === undefined ? {} : { name })}
      validate={() => problem}
      value={[...value]}
      onChange={(ids) => onChange(ids as T[])}
    >
      <Label className="field-label">{label}</Label>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <div className={classes('choices-list', dense && 'choices-dense')}>
        {options.map(({ id, label: text, note }) => (
          <Checkbox key={id} value={id} className="choice">
            <Tick />
            <span className="choice-text">
              {text}
              {note && <small>{note}</small>}
            </span>
          </Checkbox>
        ))}
      </div>
      <FieldError className="field-error" />
    </CheckboxGroup>
  );
}

export function Segments<T extends string>({
  label,
  hint,
  options,
  value,
  onChange,
  hideLabel = false,
}: Group<T> & { /** null: nothing is chosen yet. */ value: T | null; onChange: (value: T) => void; hideLabel?: boolean }) {
  return (
    <RadioGroup className="choices" orientation="horizontal" value={value} onChange={(id) => onChange(id as T)}>
      <Label className={hideLabel ? 'sr-only' : 'field-label'}>{label}</Label>
      <div className="segments">
        {options.map(({ id, label: text, icon }) => (
          <Radio key={id} value={id} className="segment">
            {icon && <Icon name={icon} size={18} />}
            {text}
          </Radio>
        ))}
      </div>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
    </RadioGroup>
  );
}

function Tick() {
  return (
    <span className="choice-tick">
      <Icon name="check" size={16} />
    </span>
  );
}
