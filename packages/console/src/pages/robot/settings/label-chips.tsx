/** Labels of a robot, each of which can be removed, and a field to add one. A label that was typed and not added keeps the form from being saved. */
import type { Labels } from '@perch/schema';
import { useState } from 'react';
import { Button } from '../../../ui/controls/button.js';
import { Field } from '../../../ui/controls/field.js';
import { Icon } from '../../../ui/icon.js';
import { labelIn } from './settings-form.js';

interface Props {
  labels: Labels;
  onChange(labels: Labels): void;
}

export function LabelChips({ labels, onChange }: Props) {
  const [typed, setTyped] = useState('');
  const add = (): void => {
    const label = labelIn(typed);
    if (label === null) return;
    onChange({ ...labels, [label.key]: label.value });
    setTyped('');
  };
  const entries = Object.entries(labels);
  return (
    <div className="label-chips">
      {entries.length > 0 && (
        <ul className="chips" aria-label="Labels">
          {entries.map(([key, value]) => (
            <li key={key}>
              <button
                type="button"
                className="chip"
                aria-label={`Remove ${key}=${value}`}
                onClick={() => onChange(Object.fromEntries(entries.filter(([other]) => other !== key)))}
              >
                {key}={value}
                <Icon name="close" size={16} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="label-add">
        <Field
          label="New label"
          name="labels"
          value={typed}
          onChange={setTyped}
          mono
          autoComplete="off"
          hint="key=value, such as room=r7. Enter adds it; a label with a key that is there replaces it."
          validate={(text) =>
            text.trim() === '' ? null : labelIn(text) === null ? 'Write key=value, such as room=r7.' : 'Add this label, or empty the field.'
          }
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || labelIn(typed) === null) return;
            event.preventDefault();
            add();
          }}
        />
        <Button small isDisabled={labelIn(typed) === null} onPress={add}>
          Add label
        </Button>
      </div>
    </div>
  );
}
