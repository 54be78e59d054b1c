import { exportUrl } from '../../api/activity.js';
import { Button } from '../../ui/controls/button.js';
import { Segments } from '../../ui/controls/choices.js';
import { PageHead } from '../../ui/shell/page.js';
import { ActivityFilters } from './activity-filters.js';
import { ActivityLog } from './activity-log.js';
import { isFiltered, useActivityFilter } from './use-activity-filter.js';
import { Usage } from './usage.js';
import './activity-page.css';

const views = [
  { id: 'log', label: 'Log' },
  { id: 'usage', label: 'Usage' },
] as const;

const noFilter = { robot: '', key: '', action: '', outcome: '', kind: '' };

export default function ActivityPage() {
  const { filter, view, change } = useActivityFilter();
  return (
    <>
      <PageHead
        title="Activity"
        lead="Calls to your robots and changes to your account in the last 30 days."
        actions={
          view === 'log' && (
            <>
              <a className="button button-plain" href={exportUrl('csv', filter)} download>
                Export CSV
              </a>
              <a className="button button-plain" href={exportUrl('json', filter)} download>
                Export JSON
              </a>
            </>
          )
        }
      />
      <div className="stack">
        <div className="activity-view">
          <Segments label="View" hideLabel options={views} value={view} onChange={(id) => change({ view: id })} />
          {view === 'log' && isFiltered(filter) && (
            <Button small onPress={() => change(noFilter)}>
              Clear filters
            </Button>
          )}
        </div>
        {view === 'usage' ? (
          <Usage />
        ) : (
          <>
            <ActivityFilters filter={filter} onFilter={change} />
            <ActivityLog filter={filter} />
          </>
        )}
      </div>
    </>
  );
}
