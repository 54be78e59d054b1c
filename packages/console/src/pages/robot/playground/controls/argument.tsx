import { createContext, type ReactNode, useContext } from 'react';
import type { FieldProblem } from '../draft/draft.js';

const ProblemContext = createContext<readonly FieldProblem[]>([]);
/** Provides the form's validation errors, each with the path of the field that shows it. */
export const ProblemProvider = ProblemContext.Provider;

export function useProblem(path: string): string | null {
  return useContext(ProblemContext).find(({ field }) => field === path)?.message ?? null;
}

export function controlId(path: string): string {
  return `argument-${path.replace(/[^\w]+/g, '-')}`;
}

interface Props {
  path: string;
  name: string;
  required?: boolean;
  help?: string;
  group?: boolean;
  children: ReactNode;
}

export function Argument({ path, name, required = false, help = '', group = false, children }: Props) {
  const id = controlId(path);
  const problem = useProblem(path);
  const title = (
    <>
      <code>{name}</code>
      {required && <span className="argument-required">required</span>}
    </>
  );
  return (
    <div
      className="argument"
      {...(group ? { role: 'group', 'aria-labelledby': `${id}-name`, 'aria-describedby': describedBy(path, help, problem) } : {})}
    >
      <div className="argument-head">
        {group ? (
          <span id={`${id}-name`} className="argument-name" tabIndex={-1}>
            {title}
          </span>
        ) : (
          <label htmlFor={id} className="argument-name">
            {title}
          </label>
        )}
      </div>
      {children}
      <ArgumentError path={path} />
      {help !== '' && (
        <p id={`${id}-help`} className="field-hint">
          {help}
        </p>
      )}
    </div>
  );
}

export function ArgumentError({ path }: { path: string }) {
  const problem = useProblem(path);
  if (problem === null) return null;
  return (
    <p id={`${controlId(path)}-problem`} className="field-error">
      {problem}
    </p>
  );
}

export function useControl(path: string, help = ''): { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined } {
  const problem = useProblem(path);
  return { id: controlId(path), 'aria-describedby': describedBy(path, help, problem), 'aria-invalid': problem !== null || undefined };
}

function describedBy(path: string, help: string, problem: string | null): string | undefined {
  const id = controlId(path);
  return [problem !== null && `${id}-problem`, help !== '' && `${id}-help`].filter(Boolean).join(' ') || undefined;
}

/** Focuses the field of an error, so that it is visible and announced. */
export function focusField(path: string): void {
  const id = controlId(path);
  (document.getElementById(id) ?? document.getElementById(`${id}-name`))?.focus();
}
