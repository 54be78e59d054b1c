/**
 * The API reference at /docs: Swagger UI for /openapi.json, without "Try it out": requests are sent from the playground, so that nobody enters a key
 * here. Only this page's policy allows inline styles, which Swagger UI needs.
 */
import '@fontsource-variable/geist/wght.css';
import '@fontsource-variable/geist-mono/wght.css';
import '../ui/theme/tokens.css';
import './docs.css';
import viewer from 'swagger-ui-dist/swagger-ui-bundle.js?url';
import { restoreTheme } from '../ui/theme/theme.js';
import { nameControls } from './name-controls.js';

interface Viewer {
  specActions: { updateJsonSpec(document: OpenApi): void };
  specSelectors: { taggedOperations(): { keySeq(): { toArray(): string[] } } };
  layoutActions: { show(section: readonly string[], isShown: boolean): void };
}

interface OpenApi {
  openapi: string;
  info: object;
}

declare global {
  interface Window {
    SwaggerUIBundle(options: Record<string, unknown>): Viewer;
  }
}

const reference = document.getElementById('reference')!;
const dark = matchMedia('(prefers-color-scheme: dark)');

restoreTheme();
followTheme();
dark.addEventListener('change', followTheme);
nameControls(reference);

// Loaded as it is: bundling 1.5 MB with each build would change nothing in it.
const script = document.createElement('script');
script.src = viewer;
const loaded = new Promise((resolve, reject) => {
  script.addEventListener('load', resolve);
  script.addEventListener('error', reject);
});
document.head.append(script);
show(fetchDocument(), loaded).catch(() => {
  reference.textContent = 'The reference could not be loaded. Reload the page, or read /openapi.json.';
});

/** Shows the introduction, then the list of operations, each in tasks of its own: all at once would block the page for seconds. */
async function show(fetched: Promise<OpenApi>, viewerLoaded: Promise<unknown>): Promise<void> {
  const [whole] = await Promise.all([fetched, viewerLoaded]);
  await nextTask();
  reference.classList.add('docs-opening');
  const { openapi, info } = whole;
  const shown = await new Promise<Viewer>((resolve) => {
    const opened = window.SwaggerUIBundle({
      domNode: reference,
      spec: { openapi, info, paths: {} },
      layout: 'BaseLayout',
      docExpansion: 'none',
      plugins: [withoutSecuritySchemes],
      onComplete: () => resolve(opened),
      defaultModelsExpandDepth: -1,
      supportedSubmitMethods: [],
      validatorUrl: null,
      syntaxHighlight: false,
    });
  });
  await drawn();
  shown.specActions.updateJsonSpec(whole);
  await drawn();
  await openSections(shown);
}

async function fetchDocument(): Promise<OpenApi> {
  const answer = await fetch('/openapi.json');
  if (!answer.ok) throw new Error(`/openapi.json: ${answer.status}`);
  return (await answer.json()) as OpenApi;
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Waits until what has changed is on the screen. */
function drawn(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** Skips resolving how programs sign in, for a dialog that is not shown: it reads the whole document, which takes longer than everything else. */
function withoutSecuritySchemes(): object {
  const requestResolvedSubtree = (request: (path: readonly string[]) => unknown) => (path: readonly string[]) =>
    path.join('.') === 'components.securitySchemes' ? undefined : request(path);
  return { statePlugins: { spec: { wrapActions: { requestResolvedSubtree } } } };
}

/**
 * Opens each section once it is within a window's height of the window, since all sections at once block the page for seconds, and all of them for the
 * browser's search and for paper. The first ones stay invisible until they fill the window, so that none is seen to move.
 */
async function openSections({ specSelectors, layoutActions }: Viewer): Promise<void> {
  const wholeIsWanted = wantsWhole();
  for (const tag of specSelectors.taggedOperations().keySeq().toArray()) {
    const heading = document.getElementById(`operations-tag-${tag}`);
    if (heading !== null && heading.getBoundingClientRect().top > 2 * innerHeight) {
      reference.classList.remove('docs-opening');
      await Promise.race([comesNear(heading), wholeIsWanted]);
    }
    await nextTask();
    layoutActions.show(['operations-tag', tag], true);
  }
  await drawn();
  reference.classList.remove('docs-opening');
}

/** Resolves once an element is in the window, less than a window's height below it, or above it. */
function comesNear(element: Element): Promise<void> {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        resolve();
      },
      { rootMargin: '1000000px 0px 100%' },
    );
    observer.observe(element);
  });
}

function wantsWhole(): Promise<void> {
  return new Promise((resolve) => {
    addEventListener('beforeprint', () => resolve());
    addEventListener('keydown', ({ key, ctrlKey, metaKey }) => key.toLowerCase() === 'f' && (ctrlKey || metaKey) && resolve());
  });
}

function followTheme(): void {
  const theme = document.documentElement.dataset['theme'];
  document.documentElement.classList.toggle('dark-mode', theme === undefined ? dark.matches : theme === 'dark');
}
