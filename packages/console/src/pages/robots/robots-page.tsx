import { useCallback, useDeferredValue, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { useListedRobots } from '../../api/listed-robots.js';
import { useRobots } from '../../api/robots.js';
import { Button } from '../../ui/controls/button.js';
import { Empty, Failed, Loading, PageHead } from '../../ui/shell/page.js';
import { Notice } from '../../ui/notice.js';
import { MoreRobots, searchedFrom } from '../../ui/controls/robot-search.js';
import { RobotIllustration } from '../sign-in/robot-illustration.js';
import { messageOf } from '../../api/call-error.js';
import { AddByCode } from './add-by-code.js';
import { FirstSteps } from './first-steps.js';
import { RobotRows } from './list/robot-rows.js';
import { RobotTools } from './list/robot-tools.js';
import { SeenRobotsProvider } from './list/shown-robots.js';
import { isFiltered, useRobotFilter } from './list/use-robot-filter.js';
import { useRobotsView } from './list/use-robots-view.js';
import { RobotCard } from './robot-card.js';
import { SharedRobots } from './shared-robots.js';
import { useAddVirtual } from './use-add-virtual.js';
import './list/robot-rows.css';
import './robots-page.css';

/** Number of robots from which on the page offers filters and the list. */
const toolsFrom = 5;

/** @param pairing whether the page was opened by the address that a robot shows with its code */
export default function RobotsPage({ pairing = false }: { pairing?: boolean }) {
  const robots = useRobots();
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const [adding, setAdding] = useState(false);
  const virtual = useAddVirtual();
  const [filter, setFilter] = useRobotFilter();
  const listed = useListedRobots(filter);
  const list = robots.data?.robots ?? [];
  // The dialog is shown before the list that it covers is rendered.
  const showsList = useDeferredValue(true, !pairing);
  const [view, setView] = useRobotsView(list.length >= searchedFrom ? 'list' : 'cards');
  const onLabel = useCallback((label: string) => setFilter({ label }), [setFilter]);
  const closeAdding = () => {
    setAdding(false);
    if (pairing) void navigate('/robots', { replace: true });
  };
  const hasTools = list.length >= toolsFrom || isFiltered(filter);
  const isNoneShown = hasTools && listed.robots.length === 0 && !listed.isReading && listed.error === null;
  const addVirtual = (
    <Button
      look={hasTools || list.some((robot) => robot.virtual) ? 'plain' : 'primary'}
      icon="plus"
      isPending={virtual.isPending}
      onPress={virtual.addVirtual}
    >
      Add a virtual robot
    </Button>
  );
  return (
    <SeenRobotsProvider>
      <PageHead
        title="Robots"
        lead={list.length > 0 && 'Open a robot to watch it and to try its actions.'}
        actions={
          list.length > 0 && (
            <>
              <Button icon="plus" onPress={() => setAdding(true)}>
                Add by code
              </Button>
              {/* Below many rows it would not be found. */}
              {view === 'list' && addVirtual}
            </>
          )
        }
      />
      {virtual.error && (
        <div className="robots-notice">
          <Notice tone="bad">{messageOf(virtual.error)}</Notice>
        </div>
      )}
      {robots.error && robots.data === undefined && <Failed error={robots.error} onRetry={() => void robots.refetch()} />}
      {showsList && (
        <>
          {robots.isPending && <Loading label="Loading your robots" lines={2} />}
          {robots.data && list.length === 0 && (
            <Empty
              picture={<RobotIllustration />}
              title="Start with a robot in this browser"
              actions={
                <>
                  <Button look="primary" icon="plus" isPending={virtual.isPending} onPress={virtual.addVirtual}>
                    Add a virtual robot
                  </Button>
                  <Button onPress={() => setAdding(true)}>I have a robot</Button>
                </>
              }
            >
              A virtual robot has a face, a head, LEDs, a speaker and a touch screen, like a real one. Ask a question and tap the answer yourself.
              There is nothing to install.
            </Empty>
          )}
          {hasTools && <RobotTools robots={list} filter={filter} onFilter={setFilter} view={view} onView={setView} />}
          {isNoneShown && (
            <p className="robots-none" role="status">
              No robot matches.
            </p>
          )}
          {listed.robots.length > 0 && view === 'list' && <RobotRows robots={listed.robots} isWhole={!listed.hasMore} onLabel={onLabel} />}
          {list.length > 0 && view === 'cards' && (
            <ul className={listed.robots.length >= searchedFrom ? 'robots robots-long' : 'robots'}>
              {listed.robots.map((robot) => (
                <RobotCard key={robot.id} robot={robot} onLabel={onLabel} />
              ))}
              <li className="robot-new">
                <span className="muted">A virtual robot runs in this browser, for testing.</span>
                {addVirtual}
              </li>
            </ul>
          )}
          {list.length > 0 && !isNoneShown && <MoreRobots listed={listed} />}
          <SharedRobots robots={robots.data?.shared ?? []} onLabel={onLabel} />
          <FirstSteps />
        </>
      )}
      <AddByCode isOpen={adding || pairing} code={query.get('code') ?? ''} onClose={closeAdding} />
    </SeenRobotsProvider>
  );
}
