import type { ListedCommand } from '@perch/schema';
import { type ReactNode, type Ref, type SubmitEvent, useEffect, useMemo, useState } from 'react';
import { Button } from '../../../ui/controls/button.js';
import { focusField, ProblemProvider } from './controls/argument.js';
import { CommandHelp } from './controls/command-help.js';
import type { PlayAction } from './request/play-action.js';
import { type Drafts, emptyDraft, type FieldProblem } from './draft/draft.js';
import { FieldControl } from './controls/field-control.js';
import type { Field } from './controls/schema-fields.js';
import { SuggestionsProvider } from './controls/suggestions.js';
import { MoreFields } from './more-fields.js';

/** Errors at fields; a new object focuses the field of its first one. */
export interface FoundProblems {
  action: string;
  problems: readonly FieldProblem[];
}

interface Props {
  ref: Ref<HTMLFormElement>;
  id: string;
  action: PlayAction;
  fields: readonly Field[];
  draft: Drafts;
  /** The robot's own commands, for the action `command`. */
  commands: readonly ListedCommand[];
  found: FoundProblems | null;
  /** False at first: only what the action does is shown. */
  areFieldsShown: boolean;
  onDraft(draft: Drafts): void;
  onSubmit(): void;
}

export function ActionForm({ ref, id, action, fields, draft, commands, found, areFieldsShown, onDraft, onSubmit }: Props) {
  const suggestions = useMemo(() => (action.name === 'command' ? { command: commands.map(({ name }) => name) } : {}), [action.name, commands]);
  const usual = useMemo(() => fields.filter(({ group }) => group === null), [fields]);
  const more = useMemo(() => fields.filter(({ group }) => group !== null), [fields]);
  const [isMoreOpen, setMoreOpen] = useState(() => more.some(({ name }) => draft[name] !== undefined && draft[name] !== ''));
  /** Names of fields that were changed since their errors were found. */
  const [changed, setChanged] = useState<{ since: FoundProblems | null; names: readonly string[] }>({ since: null, names: [] });
  const corrected = changed.since === found ? changed.names : [];
  const problems = found?.problems.filter(({ field }) => !corrected.includes(argumentOf(field))) ?? [];
  const first = found?.problems[0]?.field;
  if (first !== undefined && !isMoreOpen && corrected.length === 0 && more.some(({ name }) => name === argumentOf(first))) setMoreOpen(true);
  useEffect(() => {
    const field = found?.problems[0]?.field;
    if (field !== undefined) focusField(field);
  }, [found]);

  const field = (each: Field): ReactNode => (
    <FieldControl
      key={each.name}
      field={each}
      path={each.name}
      value={draft[each.name]}
      draft={draft}
      onChange={(value) => {
        if (problems.length > 0) setChanged({ since: found, names: [...corrected, each.name] });
        onDraft({ ...draft, [each.name]: value });
      }}
    />
  );

  return (
    <form
      ref={ref}
      id={id}
      className="action-form"
      noValidate
      onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <div className="action-about">
        <p>{action.summary}</p>
        {action.description !== '' && (
          <details>
            <summary>How it works</summary>
            <p className="field-hint">{action.description}</p>
          </details>
        )}
      </div>
      {areFieldsShown && (
        <>
          <SuggestionsProvider value={suggestions}>
            <ProblemProvider value={problems}>
              {usual.map(field)}
              <MoreFields fields={more} draft={draft} isOpen={isMoreOpen} onOpen={setMoreOpen} render={field} />
            </ProblemProvider>
          </SuggestionsProvider>
          {action.name === 'command' && <CommandHelp commands={commands} onChoose={(command) => onDraft({ ...draft, command, args: '' })} />}
          {fields.length > 0 && (
            <div className="action-buttons">
              <Button
                look="quiet"
                onPress={() => {
                  setChanged({ since: found, names: fields.map(({ name }) => name) });
                  onDraft(emptyDraft(fields));
                }}
              >
                Clear form
              </Button>
            </div>
          )}
        </>
      )}
    </form>
  );
}

/** @param path such as `items[1].label` */
function argumentOf(path: string): string {
  return path.split(/[.[]/)[0]!;
}
