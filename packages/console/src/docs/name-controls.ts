/** Labels Swagger UI's select boxes and makes its scrollable boxes focusable. */

const names: readonly (readonly [selector: string, name: string])[] = [
  ['select.examples-select-element', 'Example'],
  ['select.content-type', 'Content type'],
  ['.servers select', 'Server'],
];

/** Labels also controls that are added later. */
export function nameControls(root: Element): void {
  const name = (): void => {
    for (const [selector, text] of names) {
      for (const select of root.querySelectorAll(`${selector}:not([aria-label])`)) select.setAttribute('aria-label', text);
    }
    // Until the viewer has resolved an operation, the boxes of its parameters have no text that names them.
    for (const input of root.querySelectorAll('.parameters input:not([aria-label])')) {
      input.setAttribute('aria-label', input.closest('[data-param-name]')?.getAttribute('data-param-name') ?? 'Value');
    }
    for (const box of root.querySelectorAll('pre:not([tabindex])')) box.setAttribute('tabindex', '0');
  };
  new MutationObserver(name).observe(root, { childList: true, subtree: true });
  name();
}
