import type { ListedCommand } from '@perch/schema';
import { type KeyboardEvent, type ReactNode, startTransition, type SubmitEvent, useMemo, useState } from 'react';
import { Button } from '../../../ui/controls/button.js';
import { fieldMessage } from '../../../ui/field-message.js';
import { Answer } from './request/answer.js';
import { focusField, ProblemProvider } from './controls/argument.js';
import { CommandHelp } from './controls/command-help.js';
import type { PlayAction } from './request/play-action.js';
import { type Args, argsOf, type Drafts, emptyDraft, type FieldProblem } from './draft/draft.js';
import { FieldControl } from './controls/field-control.js';
import { nearestField } from './controls/field-path.js';
import { Request } from './request/request.js';
import type { Field } from './controls/schema-fields.js';
import { SuggestionsProvider } from './controls/suggestions.js';
import { useIcons } from './controls/use-icons.js';
import type { Run } from './request/use-runs.js';

interface Props {
  robot: string;
  isOwn: boolean;
  action: PlayAction;
  fields: readonly Field[];
  draft: Drafts;
  /** The robot's own commands, for the action `command`. */
  commands: readonly ListedCommand[];
  run: Run | null;
  /** Parts that are rendered: up to 0, what the action does; 1, its fields, too; 2, answer and request, too. */
  part: number;
  onDraft(draft: Drafts): void;
  onRun(args: Args): Promise<Run>;
  onCancel(): void;
}

export function ActionForm({ robot, isOwn, action, fields, draft, commands, run, part, onDraft, onRun, onCancel }: Props) {
  const made = useMemo(() => argsOf(fields, draft), [fields, draft]);
  const [isEntered, setEntered] = useState(false);
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);

  function showProblems(found: readonly [FieldProblem, ...FieldProblem[]]): void {
    setProblems(found);
    requestAnimationFrame(() => focusField(found[0].field));
  }

  async function submit(): Promise<void> {
    setProblems([]);
    if ('problems' in made) return showProblems(made.problems);
    const ended = await onRun(made.args);
    if (ended.state !== 'failed' || ended.field === null) return;
    const field = nearestField(fields, draft, ended.field);
    if (field !== null) showProblems([{ field, message: fieldMessage(field, ended.message) }]);
  }

  return (
    <div className="action">
      <form
        className="action-form"
        noValidate
        onFocus={() => startTransition(() => setEntered(true))}
        onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
          event.preventDefault();
          void submit();
        }}
        onKeyDown={(event: KeyboardEvent<HTMLFormElement>) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
      >
        <p>{action.summary}</p>
        <p className="field-hint">{action.description}</p>
        {part > 0 && (
          <>
            <Suggestions action={action.name} commands={commands} isEntered={isEntered}>
              <ProblemProvider value={problems}>
                {fields.map((field) => (
                  <FieldControl
                    key={field.name}
                    field={field}
                    path={field.name}
                    value={draft[field.name]}
                    draft={draft}
                    onChange={(value) => {
                      if (problems.length > 0) setProblems((before) => before.filter((problem) => problem.field.split(/[.[]/)[0] !== field.name));
                      onDraft({ ...draft, [field.name]: value });
                    }}
                  />
                ))}
              </ProblemProvider>
            </Suggestions>
            {action.name === 'command' && <CommandHelp commands={commands} onChoose={(command) => onDraft({ ...draft, command, args: '' })} />}
            <div className="action-buttons">
              <Button type="submit" look="primary" icon="send">
                Run {action.name}
              </Button>
              {fields.length > 0 && (
                <Button
                  look="quiet"
                  onPress={() => {
                    setProblems([]);
                    onDraft(emptyDraft(fields));
                  }}
                >
                  Clear form
                </Button>
              )}
            </div>
          </>
        )}
      </form>
      {part > 1 && (
        <div className="action-outcome">
          <Answer
            action={action.name}
            run={run}
            field={run?.state === 'failed' && run.field !== null ? nearestField(fields, draft, run.field) : null}
            onCancel={onCancel}
          />
          {isOwn ? (
            <Request robot={robot} action={action.name} made={made} />
          ) : (
            <p className="field-hint">This robot is shared with you on this page alone: API keys reach only robots of their own account.</p>
          )}
        </div>
      )}
    </div>
  );
}

interface SuggestionsProps {
  action: string;
  commands: readonly ListedCommand[];
  /** True once the user has entered the form, which loads the long list of icons. */
  isEntered: boolean;
  children: ReactNode;
}

/** A component of its own, so that only fields with suggestions are rendered again when these are loaded. */
function Suggestions({ action, commands, isEntered, children }: SuggestionsProps) {
  const icons = useIcons(action, isEntered);
  const suggestions = useMemo(
    () => (action === 'command' ? { command: commands.map(({ name }) => name) } : { icon: icons, 'icons[]': icons, 'items[].icon': icons }),
    [action, commands, icons],
  );
  return <SuggestionsProvider value={suggestions}>{children}</SuggestionsProvider>;
}
