/** Playground: a form for each action, generated from the schemas that the service publishes, with its request and response. */
import type { ListedCommand } from '@perch/schema';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useCaller } from '../../../api/api.js';
import type { CallError } from '../../../api/call-error.js';
import { Failed, Loading } from '../../../ui/shell/page.js';
import { ActionForm } from './action-form.js';
import { ActionPicker } from './action-picker.js';
import { type Drafts, emptyDraft, fitting } from './draft/draft.js';
import { DraftStore, type Kept, tabStorage } from './draft/draft-store.js';
import type { PlayAction } from './request/play-action.js';
import { fieldsOf } from './controls/schema-fields.js';
import { starters } from './draft/starters.js';
import { useRuns } from './request/use-runs.js';
import './playground.css';

/** Action that is selected at first: a question to the person at the robot. */
const firstAction = 'ask';

export function Playground({ robot, commands }: { robot: string; commands: readonly ListedCommand[] }) {
  const caller = useCaller();
  const { data, error, refetch } = useQuery<PlayAction[], CallError>({
    queryKey: ['actions'],
    queryFn: async ({ signal }) => (await caller.get<{ actions: PlayAction[] }>('/console/v1/actions', { signal })).actions,
    staleTime: Infinity,
  });
  return (
    <section className="playground card" aria-labelledby="playground-title">
      <h2 id="playground-title">Playground</h2>
      {data !== undefined && <Forms key={robot} robot={robot} actions={data} commands={commands} />}
      {data === undefined && (error === null ? <Loading label="Loading the actions" /> : <Failed error={error} onRetry={() => void refetch()} />)}
    </section>
  );
}

function Forms({ robot, actions, commands }: { robot: string; actions: readonly PlayAction[]; commands: readonly ListedCommand[] }) {
  const store = useMemo(() => new DraftStore(tabStorage(), robot), [robot]);
  const [kept, setKept] = useState<Kept>(() => store.read() ?? { action: firstAction, drafts: {} });
  const runs = useRuns(robot);
  useEffect(() => store.write(kept), [store, kept]);

  const action = actions.find(({ name }) => name === kept.action) ?? actions[0]!;
  const fields = useMemo(() => fieldsOf(action.arguments), [action]);
  const drafted = kept.drafts[action.name];
  const draft = useMemo(
    () => (drafted === undefined ? { ...emptyDraft(fields), ...starters[action.name] } : fitting(fields, drafted)),
    [action.name, fields, drafted],
  );
  const setDraft = (next: Drafts): void => setKept((before) => ({ ...before, drafts: { ...before.drafts, [action.name]: next } }));

  return (
    <>
      <ActionPicker
        actions={actions}
        chosen={action.name}
        isRunning={(name) => runs.of(name)?.state === 'running'}
        onChoose={(name) => setKept((before) => ({ ...before, action: name }))}
      />
      <ActionForm
        key={action.name}
        robot={robot}
        action={action}
        fields={fields}
        draft={draft}
        commands={commands}
        run={runs.of(action.name)}
        onDraft={setDraft}
        onRun={(args) => runs.start(action.name, args)}
        onCancel={() => runs.cancel(action.name)}
      />
    </>
  );
}
