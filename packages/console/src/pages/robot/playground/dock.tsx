import { Icon } from '../../../ui/icon.js';
import type { Args, FieldProblem } from './draft/draft.js';
import { Answer } from './request/answer.js';
import { Request } from './request/request.js';
import type { Run } from './request/use-runs.js';

interface Props {
  /** Id of the form that Run submits. */
  form: string;
  robot: string;
  isOwn: boolean;
  action: string;
  made: { args: Args } | { problems: readonly [FieldProblem, ...FieldProblem[]] };
  run: Run | null;
  /** Whether a press of Run runs the action. */
  isReady: boolean;
  /** The field of the form that shows the error of a failed run, or null. */
  field: string | null;
  onCancel(): void;
}

/** Run, response and request, which stay in view while the form is scrolled. */
export function Dock({ form, robot, isOwn, action, made, run, isReady, field, onCancel }: Props) {
  return (
    <div className="dock card">
      <div className="dock-run">
        {/* Not `disabled`: it keeps the focus while the action runs. */}
        <button
          type="submit"
          form={form}
          className="button button-primary"
          aria-disabled={!isReady || undefined}
          aria-keyshortcuts={`${isMac ? 'Meta' : 'Control'}+Enter`}
          data-disabled={!isReady || undefined}
        >
          <span className="button-face">
            <Icon name="send" size={18} />
            Run {action}
          </span>
        </button>
        <span className="dock-keys">
          <kbd>{isMac ? '⌘' : 'Ctrl'}</kbd> <kbd>Enter</kbd>
        </span>
      </div>
      <div className="action-outcome">
        <Answer action={action} run={run} field={field} onCancel={onCancel} />
        {isOwn ? (
          <Request robot={robot} action={action} made={made} />
        ) : (
          <p className="field-hint">This robot is shared with you on this page alone: API keys reach only robots of their own account.</p>
        )}
      </div>
    </div>
  );
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
