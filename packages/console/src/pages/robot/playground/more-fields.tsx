import type { ReactNode } from 'react';
import type { Drafts } from './draft/draft.js';
import type { Field } from './controls/schema-fields.js';

interface Props {
  fields: readonly Field[];
  draft: Drafts;
  isOpen: boolean;
  onOpen(isOpen: boolean): void;
  render(field: Field): ReactNode;
}

/** The arguments that few calls need, by what they are about. Their controls are rendered once they are shown. */
export function MoreFields({ fields, draft, isOpen, onOpen, render }: Props) {
  if (fields.length === 0) return null;
  const groups = [...new Set(fields.map(({ group }) => group))];
  const set = fields.filter(({ name }) => draft[name] !== undefined && draft[name] !== '').map(({ name }) => name);
  return (
    <details className="more-fields" open={isOpen} onToggle={({ currentTarget }) => onOpen(currentTarget.open)}>
      <summary>
        More <span className="field-hint">{set.length > 0 ? `set: ${set.join(', ')}` : fields.map(({ name }) => name).join(', ')}</span>
      </summary>
      {isOpen &&
        groups.map((group) => (
          <fieldset key={group}>
            <legend>{group}</legend>
            {fields.filter((field) => field.group === group).map(render)}
          </fieldset>
        ))}
    </details>
  );
}
