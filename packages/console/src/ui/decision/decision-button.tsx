/**
 * Button that decides: it allows, shares, pairs, installs or deletes. It is disabled until its page or dialog has been in view for a second (`DecisionGuard`)
 * and says so beside it. It keeps the focus meanwhile, and a screen reader reads the reason with it; only who presses it too early is told when it is ready.
 */
import { useId, useState } from 'react';
import { classes } from '../classes.js';
import { Spinner } from '../spinner.js';
import type { ButtonStyle } from '../controls/button.js';
import { useDecision } from './use-decision.js';
import '../controls/button.css';
import './decision-button.css';

export interface DecisionButtonProps extends Pick<ButtonStyle, 'look' | 'small'> {
  children: string;
  isPending: boolean;
  /** Text of what is decided, if it may change while it is in view; a change starts the time again. */
  about?: string;
  /** Why nothing can be decided yet, such as a missing choice. Given for every button that may lack something. */
  lacks?: string | null;
  /** If unset, it submits its form. */
  onPress?: () => void;
}

export function DecisionButton({ children, look = 'primary', small = false, isPending, about = '', lacks, onPress }: DecisionButtonProps) {
  const { state, decides } = useDecision(about);
  const [wasEarly, setWasEarly] = useState(false);
  const id = useId();
  // The missing choice comes first: behind the time it would take its place, and move the text beside it.
  const reason = lacks ?? (state === 'ready' ? null : reasons[state]);
  const isOff = reason !== null || isPending;
  // A page that is left and returned to says nothing by itself.
  if (state === 'away' && wasEarly) setWasEarly(false);
  return (
    <span className="decision">
      <button
        type={onPress === undefined ? 'submit' : 'button'}
        className={classes('button', `button-${look}`, small && 'button-small')}
        aria-disabled={isOff || undefined}
        aria-describedby={reason === null ? undefined : id}
        data-disabled={(isOff && !isPending) || undefined}
        data-pending={isPending || undefined}
        onClick={(event) => {
          const isEarly = !decides(event) || reason !== null;
          if (isEarly && !isPending) setWasEarly(true);
          if (isEarly || isPending) event.preventDefault();
          else onPress?.();
        }}
      >
        <span className="button-face">{children}</span>
        {isPending && <Spinner label="Working" />}
      </button>
      <span className="decision-reasons">
        {[...Object.values(reasons), ...(lacks === undefined ? [] : [lacks ?? ''])].map((text) => (
          <span key={text} {...(text === reason ? { id } : { className: 'decision-other' })}>
            {text}
          </span>
        ))}
      </span>
      <span role="status" className="sr-only">
        {isPending ? 'Working' : wasEarly && (reason === null ? `${children} is ready.` : `${children}: ${reason}.`)}
      </span>
    </span>
  );
}

const reasons = { away: 'Select this page first', early: 'Ready in a second' };
