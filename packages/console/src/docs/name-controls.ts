/** What the viewer leaves out for those who do not see it, or come by keyboard: names of its choices, and a way into boxes that scroll. */

const names: readonly (readonly [selector: string, name: string])[] = [
  ['select.examples-select-element', 'Example'],
  ['select.content-type', 'Content type'],
  ['.servers select', 'Server'],
];

/** Names what is there and what comes. */
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
