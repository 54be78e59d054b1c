/**
 * The reference at /docs: Swagger UI over /openapi.json, to read. Calls are made in the playground, so that no key is typed here.
 * Its policy alone allows styles in attributes, which the viewer writes.
 */
import '@fontsource-variable/geist/wght.css';
import '@fontsource-variable/geist-mono/wght.css';
import '../ui/theme/tokens.css';
import './docs.css';
import viewer from 'swagger-ui-dist/swagger-ui-bundle.js?url';
import { restoreTheme } from '../ui/theme/theme.js';
import { nameControls } from './name-controls.js';

declare global {
  interface Window {
    SwaggerUIBundle(options: Record<string, unknown>): void;
  }
}

const reference = document.getElementById('reference')!;
const dark = matchMedia('(prefers-color-scheme: dark)');

restoreTheme();
followTheme();
dark.addEventListener('change', followTheme);
nameControls(reference);

// As it is, beside our scripts: to build a megabyte and a half anew with every change of the page would change nothing in it.
const script = document.createElement('script');
script.src = viewer;
script.addEventListener('load', () => {
  window.SwaggerUIBundle({
    domNode: reference,
    url: '/openapi.json',
    layout: 'BaseLayout',
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    supportedSubmitMethods: [],
    validatorUrl: null,
    syntaxHighlight: false,
  });
});
script.addEventListener('error', () => {
  reference.textContent = 'The reference did not load. Reload the page, or read it at /openapi.json.';
});
document.head.append(script);

function followTheme(): void {
  const theme = document.documentElement.dataset['theme'];
  document.documentElement.classList.toggle('dark-mode', theme === undefined ? dark.matches : theme === 'dark');
}
