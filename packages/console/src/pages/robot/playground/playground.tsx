import type { ListedCommand } from '@perch/schema';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
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
import { isRegion, type Region } from './regions/region.js';
import { useRuns } from './request/use-runs.js';
import { useAddressParameter } from './use-address-parameter.js';
import './playground.css';

/** Action that is selected at first: a question to the person at the robot. */
const firstAction = 'ask';

interface Props {
  robot: string;
  /** False: another account shares the robot with this one, whose API keys do not reach it. */
  isOwn: boolean;
  commands: readonly ListedCommand[];
  /** Called with the regions of a clickmap while it waits for a tap, and with none when it has ended. */
  onRegions(regions: readonly Region[]): void;
}

export function Playground({ robot, isOwn, commands, onRegions }: Props) {
  const caller = useCaller();
  const {
    data: loaded,
    error,
    refetch,
  } = useQuery<PlayAction[], CallError>({
    queryKey: ['actions'],
    queryFn: async ({ signal }) => (await caller.get<{ actions: PlayAction[] }>('/console/v1/actions', { signal })).actions,
    staleTime: Infinity,
  });
  // Deferred, so that the form is rendered in pieces and the page responds meanwhile.
  const data = useDeferredValue(loaded);
  return (
    <section className="playground card" aria-labelledby="playground-title">
      <h2 id="playground-title">Playground</h2>
      {data !== undefined && <Forms key={robot} robot={robot} isOwn={isOwn} actions={data} commands={commands} onRegions={onRegions} />}
      {data === undefined && error !== null && <Failed error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && (
        <div className="playground-loading">
          <Loading label="Loading the actions" lines={6} />
        </div>
      )}
    </section>
  );
}

function Forms({ robot, isOwn, actions, commands, onRegions }: Props & { actions: readonly PlayAction[] }) {
  const store = useMemo(() => new DraftStore(tabStorage(), robot), [robot]);
  const [kept, setKept] = useState<Kept>(() => store.read() ?? { action: firstAction, drafts: {} });
  const runs = useRuns(robot);
  useEffect(() => store.write(kept), [store, kept]);

  const [named, setNamed] = useAddressParameter('action');
  const clickmap = runs.of('clickmap');
  const regions = clickmap?.state === 'running' ? clickmap.args['regions'] : undefined;
  useEffect(() => {
    onRegions(Array.isArray(regions) ? regions.filter(isRegion) : []);
  }, [regions, onRegions]);

  const action =
    [named, kept.action].map((chosen) => actions.find(({ name }) => name === chosen)).find((found) => found !== undefined) ?? actions[0]!;
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
        onChoose={(name) => {
          setKept((before) => ({ ...before, action: name }));
          setNamed(name);
        }}
      />
      <ActionForm
        key={action.name}
        robot={robot}
        isOwn={isOwn}
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
