/** List whose entries can be added and removed, or which is set and omitted as a whole if its length is fixed. */
import type { ReactNode } from 'react';
import { Button, IconButton } from '../../../../ui/controls/button.js';
import { type Draft, emptyValue } from '../draft/draft.js';
import type { ListShape } from './schema-fields.js';

interface Props {
  shape: ListShape;
  path: string;
  name: string;
  required: boolean;
  value: Draft[] | undefined;
  renderEntry(path: string, value: Draft, onChange: (value: Draft) => void): ReactNode;
  onChange(value: Draft[] | undefined): void;
}

/** Names of one entry of a list, where it is not the list's name without its `s`. */
const entryNames: Readonly<Record<string, string>> = { items: 'tile' };

function singular(name: string): string {
  return entryNames[name] ?? name.replace(/s$/, '');
}

export function ListControl({ shape, path, name, required, value, renderEntry, onChange }: Props) {
  const { item, min, max } = shape;
  const fixed = min === max;
  if (value === undefined) {
    return (
      <Button small icon="plus" onPress={() => onChange(emptyValue(shape) as Draft[])}>
        {fixed ? `Set ${min} ${name}` : `Add ${name}`}
      </Button>
    );
  }
  return (
    <>
      <ol className={item.kind === 'color' ? 'list-of-colors' : 'list-control'}>
        {value.map((each, at) => (
          <li key={at}>
            {renderEntry(`${path}[${at}]`, each, (next) => onChange(value.map((before, i) => (i === at ? next : before))))}
            {!fixed && value.length > min && (
              <IconButton icon="close" label={`Remove ${path}[${at}]`} onPress={() => onChange(value.filter((_, i) => i !== at))} />
            )}
          </li>
        ))}
      </ol>
      <div className="row">
        {!fixed && value.length < max && (
          <Button small icon="plus" onPress={() => onChange([...value, emptyValue(item)])}>
            Add {singular(name)}
          </Button>
        )}
        {!required && (
          <Button small look="quiet" onPress={() => onChange(undefined)}>
            Omit {name}
          </Button>
        )}
      </div>
    </>
  );
}
