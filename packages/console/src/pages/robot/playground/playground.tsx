import type { ListedCommand } from '@perch/schema';
import { useQuery } from '@tanstack/react-query';
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  type Ref,
  startTransition,
  useCallback,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useCaller } from '../../../api/api.js';
import { Failed, Loading } from '../../../ui/shell/page.js';
import { fieldMessage } from '../../../ui/field-message.js';
import { ActionForm, type FoundProblems } from './action-form.js';
import { ActionNames, ActionPicker } from './action-picker.js';
import { nearestField } from './controls/field-path.js';
import { Dock } from './dock.js';
import { type Args, argsOf, type Drafts, emptyDraft, fitting } from './draft/draft.js';
import { draftsOf } from './draft/draft-of-args.js';
import { DraftStore, type Kept, tabStorage } from './draft/draft-store.js';
import { actionsQuery, type PlayAction } from './request/play-action.js';
import { fieldsOf } from './controls/schema-fields.js';
import { starters } from './draft/starters.js';
import { isRegion, type Region } from './regions/region.js';
import { useRuns } from './request/use-runs.js';
import { useAddressParameter } from './use-address-parameter.js';
import './playground.css';

/** Action that is selected at first: a question to the person at the robot. */
const firstAction = 'ask';

/** An earlier call whose arguments the user wants to have in the form. */
export interface Tried {
  action: string;
  args: Args;
}

interface Props {
  robot: string;
  /** False: another account shares the robot with this one, whose API keys do not reach it. */
  isOwn: boolean;
  commands: readonly ListedCommand[];
  /** Called with the regions of a clickmap while it waits for a tap, and with none when it has ended. */
  onRegions(regions: readonly Region[]): void;
  tried: Tried | null;
}

interface PlaygroundProps extends Props {
  /** Called once the playground keeps its height: it shows a form, or the reason why it cannot. */
  onPlaced(): void;
}

export const Playground = memo(function Playground({ robot, isOwn, commands, onRegions, tried, onPlaced }: PlaygroundProps) {
  const caller = useCaller();
  const { data: loaded, error, refetch } = useQuery(actionsQuery(caller));
  // Deferred, so that the page responds meanwhile.
  const data = useDeferredValue(loaded ?? null);
  const section = useRef<HTMLElement>(null);
  const [isWhole, setWhole] = useState(false);
  const finish = useCallback(() => setWhole(true), []);
  const isPlaced = isWhole || (data === null && error !== null);
  useEffect(() => {
    if (isPlaced) onPlaced();
  }, [isPlaced, onPlaced]);
  useEffect(() => {
    if (tried !== null) section.current?.scrollIntoView({ block: 'start' });
  }, [tried]);
  if (data !== null)
    return (
      <Forms
        key={robot}
        section={section}
        robot={robot}
        isOwn={isOwn}
        actions={data}
        commands={commands}
        onRegions={onRegions}
        tried={tried}
        onWhole={finish}
      />
    );
  return (
    <PlaySection ref={section}>
      {error === null ? (
        <div className="playground-loading">
          <Loading label="Loading the actions" lines={6} />
        </div>
      ) : (
        <Failed error={error} onRetry={() => void refetch()} />
      )}
    </PlaySection>
  );
});

function PlaySection({ ref, children }: { ref: Ref<HTMLElement>; children: ReactNode }) {
  return (
    <section ref={ref} className="playground card" aria-labelledby="playground-title">
      <h2 id="playground-title">Playground</h2>
      {children}
    </section>
  );
}

interface FormsProps extends Props {
  section: Ref<HTMLElement>;
  actions: readonly PlayAction[];
  /** Called once all parts are rendered. */
  onWhole(): void;
}

/** Parts, in this order: description of the chosen action; picker of actions; fields; the dock. Rendered at once, they are the longest task of the page. */
const lastPart = 3;

function Forms({ section, robot, isOwn, actions, commands, onRegions, tried, onWhole }: FormsProps) {
  const part = useParts(lastPart);
  const isWhole = part === lastPart;
  useEffect(() => {
    if (isWhole) onWhole();
  }, [isWhole, onWhole]);
  const store = useMemo(() => new DraftStore(tabStorage(), robot), [robot]);
  const [kept, setKept] = useState<Kept>(() => store.read() ?? { action: firstAction, drafts: {} });
  const [taken, setTaken] = useState<Tried | null>(null);
  if (tried !== taken) {
    setTaken(tried);
    const found = actions.find(({ name }) => name === tried?.action);
    if (tried !== null && found !== undefined)
      setKept(({ drafts }) => ({ action: found.name, drafts: { ...drafts, [found.name]: draftsOf(fieldsOf(found.arguments), tried.args) } }));
  }
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
  const { of: runOf } = runs;
  const run = runOf(action.name);
  const isRunning = useCallback((name: string) => runOf(name)?.state === 'running', [runOf]);
  const choose = useCallback(
    (name: string) => {
      setKept((before) => ({ ...before, action: name }));
      setNamed(name);
    },
    [setNamed],
  );
  const setDraft = (next: Drafts): void => setKept((before) => ({ ...before, drafts: { ...before.drafts, [action.name]: next } }));
  const made = useMemo(() => argsOf(fields, draft), [fields, draft]);
  const [found, setFound] = useState<FoundProblems | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const formId = useId();

  async function submit(): Promise<void> {
    if ('problems' in made) return setFound({ action: action.name, problems: made.problems });
    const ended = await runs.start(action.name, made.args);
    if (ended === null) return;
    const field = ended.state === 'failed' && ended.field !== null ? nearestField(fields, draft, ended.field) : null;
    const isAtField = ended.state === 'failed' && field !== null;
    setFound(isAtField ? { action: action.name, problems: [{ field, message: fieldMessage(field, ended.message) }] } : null);
  }

  return (
    <div
      className="play"
      role="presentation"
      onKeyDown={(event: KeyboardEvent<HTMLElement>) => {
        if (event.key !== 'Enter') return;
        const isShortcut = event.ctrlKey || event.metaKey;
        // A key that is held sends its press again and again.
        if (isShortcut || (event.repeat && !(event.target instanceof HTMLTextAreaElement))) event.preventDefault();
        if (isShortcut && !event.repeat) form.current?.requestSubmit();
      }}
    >
      <PlaySection ref={section}>
        {part === 0 ? (
          <ActionNames actions={actions} chosen={action.name} />
        ) : (
          <ActionPicker actions={actions} chosen={action.name} isRunning={isRunning} onChoose={choose} />
        )}
        <ActionForm
          key={action.name}
          ref={form}
          id={formId}
          action={action}
          fields={fields}
          draft={draft}
          commands={commands}
          found={found?.action === action.name ? found : null}
          areFieldsShown={part > 1}
          onDraft={setDraft}
          onSubmit={() => void submit()}
        />
      </PlaySection>
      {part > 2 && (
        <Dock
          form={formId}
          robot={robot}
          isOwn={isOwn}
          action={action.name}
          made={made}
          run={run}
          isReady={runs.isReady(action.name)}
          field={run?.state === 'failed' && run.field !== null ? nearestField(fields, draft, run.field) : null}
          onCancel={() => runs.cancel(action.name)}
        />
      )}
    </div>
  );
}

/** Returns 0 at first, and then one more after each rendering, up to `last`. */
function useParts(last: number): number {
  const [part, setPart] = useState(0);
  useEffect(() => {
    if (part < last) startTransition(() => setPart(part + 1));
  }, [part, last]);
  return part;
}
