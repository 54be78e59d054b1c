/** The first steps of an account, each ticked once it has happened, until all have or the user hides them. */
import { useState } from 'react';
import { Link } from 'react-router';
import { useKeys } from '../../api/keys.js';
import { useRobots } from '../../api/robots.js';
import { useSignedIn } from '../../api/session.js';
import { Button } from '../../ui/controls/button.js';
import { Icon } from '../../ui/icon.js';
import { firstSteps, type FirstStep } from './first-step-list.js';
import './first-steps.css';

/** Interval at which the keys are read while a step that depends on them is open, ms. */
const pollIntervalMs = 4000;

export function FirstSteps() {
  const { account } = useSignedIn();
  const robots = useRobots();
  const [isHidden, setHidden] = useState(() => isHiddenFor(account.id));
  const [isDone, setDone] = useState(false);
  const keys = useKeys(isHidden || isDone ? false : pollIntervalMs);
  if (isHidden || robots.data === undefined || keys.data === undefined) return null;
  const steps = firstSteps(robots.data.total, keys.data.keys);
  const open = steps.filter((step) => !step.isDone).length;
  if (isDone !== (open === 0)) setDone(open === 0);
  if (open === 0) return null;
  const hide = () => {
    setHidden(true);
    hideFor(account.id);
  };
  return (
    <section className="first-steps card" aria-labelledby="first-steps-title">
      <div className="first-steps-head">
        <h2 id="first-steps-title">First steps</h2>
        <Button small look="quiet" onPress={hide}>
          Hide
        </Button>
      </div>
      <ol>
        {steps.map((step) => (
          <Step key={step.id} step={step} />
        ))}
      </ol>
    </section>
  );
}

function Step({ step: { title, help, to, isDone } }: { step: FirstStep }) {
  return (
    <li className="first-step" data-done={isDone || undefined}>
      <span className="first-step-tick">
        <Icon name="check" size={16} />
      </span>
      <div>
        <p>
          {isDone || to === null ? title : <Link to={to}>{title}</Link>}
          <span className="sr-only">{isDone ? ', done' : ', not done yet'}</span>
        </p>
        {!isDone && <p className="field-hint">{help}</p>}
      </div>
    </li>
  );
}

const stored = (account: string): string => `perch-first-steps:${account}`;

function isHiddenFor(account: string): boolean {
  try {
    return localStorage.getItem(stored(account)) !== null;
  } catch {
    return false;
  }
}

function hideFor(account: string): void {
  try {
    localStorage.setItem(stored(account), 'hidden');
  } catch {
    // Without storage, the steps are shown again on reload.
  }
}
