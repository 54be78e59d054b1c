/**
 * The API reference at /docs: shows /openapi.json, without sending requests, which the playground does, so that nobody enters a key here. Everything is
 * listed at once; the content of each operation follows in tasks of its own, since all of it at once would block a slow phone.
 */
import '@fontsource-variable/geist/wght.css';
import '@fontsource-variable/geist-mono/wght.css';
import '../ui/theme/tokens.css';
import './docs.css';
import { restoreTheme } from '../ui/theme/theme.js';
import { element, prose } from './element.js';
import { Components, methods, type OpenApi } from './openapi.js';
import { shownOperation, type ShownOperation } from './operation.js';

const reference = document.getElementById('reference')!;

restoreTheme();
fetchDocument()
  .then(show)
  .catch(() => {
    reference.textContent = 'The reference could not be loaded. Reload the page, or read /openapi.json.';
  });

async function fetchDocument(): Promise<OpenApi> {
  const answer = await fetch('/openapi.json');
  if (!answer.ok) throw new Error(`/openapi.json: ${answer.status}`);
  return (await answer.json()) as OpenApi;
}

async function show(whole: OpenApi): Promise<void> {
  const { info, tags } = whole;
  const links = tags.map(({ name }) => {
    const link = element('a', name);
    link.setAttribute('href', `#${headingId(name)}`);
    return link;
  });
  const contents = element('nav.docs-contents', ...links);
  contents.setAttribute('aria-label', 'Groups of operations');
  reference.append(element('h1', info.title, ' ', element('small', info.version)), ...prose(info.description), requestsPart(whole), contents);
  await nextTask();
  const operations = appendOperations(whole);
  openWholeForPaper(operations);
  addEventListener('hashchange', () => openAddressed(operations));
  openAddressed(operations);
  for (const { fill } of operations) {
    await idle();
    fill();
  }
}

/** Where requests go, and what they carry. */
function requestsPart({ servers }: OpenApi): HTMLElement {
  const base = new URL(servers[0]!.url, location.href).href.replace(/\/$/, '');
  return element(
    'p',
    'Requests go to ',
    element('code', base),
    ' with the header ',
    element('code', 'Authorization: Bearer pk_…'),
    ', your API key.',
  );
}

function appendOperations(whole: OpenApi): ShownOperation[] {
  const { tags, paths, webhooks } = whole;
  const components = new Components(whole);
  const shown: ShownOperation[] = [];
  for (const { name, description } of tags) {
    const heading = element('h2', name);
    heading.id = headingId(name);
    const section = element('section', heading, ...prose(description));
    for (const [path, item] of [...Object.entries(paths), ...Object.entries(webhooks)]) {
      for (const method of methods) {
        const operation = item[method];
        if (operation?.tags[0] !== name) continue;
        const made = shownOperation(path, method, item, operation, components);
        section.append(made.part);
        shown.push(made);
      }
    }
    reference.append(section);
  }
  for (const { part } of shown) {
    part.firstElementChild!.addEventListener('click', () => !part.open && history.replaceState(null, '', `#${part.id}`));
  }
  return shown;
}

function headingId(tag: string): string {
  return `operations-tag-${tag}`;
}

/** @returns the text as it is if its percent signs encode nothing */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Opens the operation that the address names, and shows it or the group that it names. */
function openAddressed(operations: readonly ShownOperation[]): void {
  const id = decoded(location.hash.slice(1));
  const addressed = operations.find(({ part }) => part.id === id);
  if (addressed !== undefined) {
    addressed.fill();
    addressed.part.open = true;
  }
  if (id !== '') document.getElementById(id)?.scrollIntoView();
}

/** Opens all operations for printing, and closes them afterwards. */
function openWholeForPaper(operations: readonly ShownOperation[]): void {
  let opened: ShownOperation[] = [];
  addEventListener('beforeprint', () => {
    opened = operations.filter(({ part }) => !part.open);
    for (const { part, fill } of opened) {
      fill();
      part.open = true;
    }
  });
  addEventListener('afterprint', () => {
    for (const { part } of opened) part.open = false;
  });
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Waits until the browser has nothing else to do; without a way to know, for the next task. */
function idle(): Promise<void> {
  return 'requestIdleCallback' in globalThis ? new Promise((resolve) => requestIdleCallback(() => resolve())) : nextTask();
}
