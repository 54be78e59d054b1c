/** Builds elements of the reference. */

type Child = Node | string | null;

/** @param name such as `p` or `p.muted` */
export function element(name: string, ...children: readonly Child[]): HTMLElement {
  const [tag, ...classes] = name.split('.');
  const made = document.createElement(tag!);
  if (classes.length > 0) made.className = classes.join(' ');
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Returns a closed part whose content is made when it is opened, or by `fill`. */
export function disclosure(
  name: string,
  summary: readonly Child[],
  contentOf: () => readonly Child[],
): { part: HTMLDetailsElement; fill: () => void } {
  const part = element(name, element('summary', ...summary)) as HTMLDetailsElement;
  let isFilled = false;
  const fill = (): void => {
    if (isFilled) return;
    isFilled = true;
    part.append(...contentOf().filter((child) => child !== null));
  };
  part.addEventListener('toggle', () => part.open && fill());
  return { part, fill };
}

/** Shows a description: paragraphs, lists of lines that begin with a hyphen, and code between backticks. */
export function prose(description: string | undefined): HTMLElement[] {
  const parts: HTMLElement[] = [];
  for (const line of (description ?? '').split('\n').filter((text) => text.trim() !== '')) {
    const item = /^- (.*)$/.exec(line)?.[1];
    if (item === undefined) parts.push(element('p', ...inline(line)));
    else {
      if (parts.at(-1)?.tagName !== 'UL') parts.push(element('ul'));
      parts.at(-1)!.append(element('li', ...inline(item)));
    }
  }
  return parts;
}

export function inline(line: string): Child[] {
  return line.split('`').map((part, index) => (index % 2 === 1 ? element('code', part) : part));
}

export function example(value: unknown): HTMLElement {
  return element('pre', typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}
