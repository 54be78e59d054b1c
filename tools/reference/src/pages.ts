/** All pages of docs/reference that are generated here, by path within it. */
import { actionPage, actionsPage, documentedActions } from './action-page.js';
import { errorsPage } from './errors-page.js';
import { eventsPage } from './events-page.js';

export function referencePages(): Map<string, string> {
  return new Map([
    ['actions/README.md', actionsPage()],
    ...documentedActions.map((action): [string, string] => [`actions/${action.name}.md`, actionPage(action)]),
    ['errors.md', errorsPage()],
    ['events.md', eventsPage()],
  ]);
}
