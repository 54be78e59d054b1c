/** All pages of docs/reference that are generated here, by path within it. */
import { actionPage, documentedActions } from './action-page.js';
import { errorsPage } from './errors-page.js';
import { eventsPage } from './events-page.js';
import { generatedNote, page, row } from './markdown.js';

export function referencePages(): Map<string, string> {
  return new Map([
    ['actions/README.md', actionsIndex()],
    ...documentedActions.map((action): [string, string] => [`actions/${action.name}.md`, actionPage(action)]),
    ['errors.md', errorsPage()],
    ['events.md', eventsPage()],
  ]);
}

function actionsIndex(): string {
  const rows = documentedActions.map(({ name, summary }) => row([`[\`${name}\`](${name}.md)`, summary]));
  return page('Actions', 'What a program can do with a robot.', generatedNote, ['| action |  |', '|---|---|', ...rows].join('\n'));
}
