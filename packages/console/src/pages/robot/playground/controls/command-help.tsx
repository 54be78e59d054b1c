import type { ListedCommand } from '@perch/schema';

export function CommandHelp({ commands, onChoose }: { commands: readonly ListedCommand[]; onChoose(name: string): void }) {
  if (commands.length === 0) return <p className="field-hint">This robot has no commands of its own.</p>;
  return (
    <details className="command-help">
      <summary>Commands of this robot</summary>
      <dl>
        {commands.map(({ name, description, args }) => (
          <div key={name}>
            <dt>
              <button type="button" className="chip" onClick={() => onChoose(name)}>
                {name}
              </button>
            </dt>
            <dd>
              {description} <code>{argumentsOf(args)}</code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function argumentsOf(schema: ListedCommand['args']): string {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: Record<string, { type?: unknown }>; required?: string[] };
  return Object.entries(properties)
    .map(([name, { type }]) => `${name}${required.includes(name) ? '' : '?'}${typeof type === 'string' ? `: ${type}` : ''}`)
    .join(', ');
}
