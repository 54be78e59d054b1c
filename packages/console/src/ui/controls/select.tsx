import { Button } from 'react-aria-components/Button';
import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select';
import { Text } from 'react-aria-components/Text';
import type { ReactNode } from 'react';
import { Icon } from '../icon.js';
import './field.css';
import './menu.css';
import './select.css';

export interface SelectProps<T extends string> {
  label: ReactNode;
  name?: string;
  hint?: ReactNode;
  value: T;
  onChange: (value: T) => void;
  options: readonly { id: T; label: string }[];
}

export function Select<T extends string>({ label, name, hint, value, onChange, options }: SelectProps<T>) {
  return (
    <AriaSelect className="field" {...(name === undefined ? {} : { name })} value={value} onChange={(key) => key !== null && onChange(key as T)}>
      <Label className="field-label">{label}</Label>
      <Button className="select-button field-input">
        <SelectValue />
        <Icon name="down" size={18} />
      </Button>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error" />
      <Popover className="popover select-popover">
        <ListBox className="menu">
          {options.map((option) => (
            <ListBoxItem key={option.id} id={option.id} textValue={option.label} className="menu-item">
              {({ isSelected }) => (
                <>
                  <span className="select-option">{option.label}</span>
                  {isSelected && <Icon name="check" size={18} />}
                </>
              )}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
