/** One argument of a form: its name, its control, what the schema says of it, and what is wrong with it. */
import { createContext, type ReactNode, useContext } from 'react';
import type { FieldProblem } from '../draft/draft.js';

const ProblemContext = createContext<FieldProblem | null>(null);
/** What is wrong with a form, by the path of the field where it is told. */
export const ProblemProvider = ProblemContext.Provider;

/** What is wrong at this path, or null. */
export function useProblem(path: string): string | null {
  const problem = useContext(ProblemContext);
  return problem?.field === path ? problem.message : null;
}

export function controlId(path: string): string {
  return `argument-${path.replace(/[^\w]+/g, '-')}`;
}

interface Props {
  path: string;
  name: string;
  required?: boolean;
  help?: string;
  /** Several controls that have names of their own. */
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
      <Told path={path} />
      {help !== '' && (
        <p id={`${id}-help`} className="field-hint">
          {help}
        </p>
      )}
    </div>
  );
}

/** What is wrong at a path, where there is something. */
export function Told({ path }: { path: string }) {
  const problem = useProblem(path);
  if (problem === null) return null;
  return (
    <p id={`${controlId(path)}-problem`} className="field-error">
      {problem}
    </p>
  );
}

/** For a control of its own: id and what describes it. */
export function useControl(path: string, help = ''): { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined } {
  const problem = useProblem(path);
  return { id: controlId(path), 'aria-describedby': describedBy(path, help, problem), 'aria-invalid': problem !== null || undefined };
}

function describedBy(path: string, help: string, problem: string | null): string | undefined {
  const id = controlId(path);
  return [problem !== null && `${id}-problem`, help !== '' && `${id}-help`].filter(Boolean).join(' ') || undefined;
}

/** Puts the focus on the field of a problem, so that it is in sight and read out. */
export function focusField(path: string): void {
  const id = controlId(path);
  (document.getElementById(id) ?? document.getElementById(`${id}-name`))?.focus();
}
