import { memo } from 'react';
import { Label } from 'react-aria-components/Label';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import type { PlayAction } from './request/play-action.js';

interface Props {
  actions: readonly PlayAction[];
  chosen: string;
  isRunning(action: string): boolean;
  onChoose(action: string): void;
}

/** Looks like the picker, at a fraction of its cost, for the first rendering of the playground. */
export function ActionNames({ actions, chosen }: Pick<Props, 'actions' | 'chosen'>) {
  return (
    <div className="action-picker" aria-hidden="true">
      {actions.map(({ name }) => (
        <span key={name} className="action-choice" data-selected={name === chosen || undefined}>
          <span>{name}</span>
        </span>
      ))}
    </div>
  );
}

/** Not rendered again when another part of the playground is: it is a large part of it. */
export const ActionPicker = memo(function ActionPicker({ actions, chosen, isRunning, onChoose }: Props) {
  return (
    <RadioGroup className="action-picker" orientation="horizontal" value={chosen} onChange={onChoose}>
      <Label className="sr-only">Action</Label>
      {actions.map(({ name }) => (
        <Radio key={name} value={name} className="action-choice">
          <span>{name}</span>
          {isRunning(name) && (
            <>
              <span className="action-running" aria-hidden="true" />
              <span className="sr-only">running</span>
            </>
          )}
        </Radio>
      ))}
    </RadioGroup>
  );
});
