/** Improves accessibility of Swagger UI: labels its select boxes and makes scrollable boxes focusable. */

const names: readonly (readonly [selector: string, name: string])[] = [
  ['select.examples-select-element', 'Example'],
  ['select.content-type', 'Content type'],
  ['.servers select', 'Server'],
];

/** Labels existing and later controls. */
export function nameControls(root: Element): void {
  const name = (): void => {
    for (const [selector, text] of names) {
      for (const select of root.querySelectorAll(`${selector}:not([aria-label])`)) select.setAttribute('aria-label', text);
    }
    for (const box of root.querySelectorAll('pre:not([tabindex])')) box.setAttribute('tabindex', '0');
  };
  new MutationObserver(name).observe(root, { childList: true, subtree: true });
  name();
}
