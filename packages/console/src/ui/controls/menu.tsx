import { Menu as AriaMenu, MenuItem as AriaMenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { useRef, useState, type KeyboardEvent } from 'react';
import { classes } from '../classes.js';
import { Icon, type IconName } from '../icon.js';
import './menu.css';

export interface MenuEntry {
  id: string;
  label: string;
  icon?: IconName;
  danger?: boolean;
  onAction: () => void;
}

const openingKeys = ['Enter', ' ', 'ArrowDown', 'ArrowUp'];

/** A button with three dots and its menu, which is rendered once it has been opened: of hundreds in a list, nearly all stay buttons. */
export function Menu({ label, entries }: { label: string; entries: readonly MenuEntry[] }) {
  const button = useRef<HTMLButtonElement>(null);
  const [first, setFirst] = useState<'first' | 'last' | null>(null);
  const [isOpen, setOpen] = useState(false);
  const open = (from: 'first' | 'last') => {
    setFirst(from);
    setOpen(true);
  };
  // A click that a key causes counts as one of assistive technology, after which the first entry would get no focus.
  const onKeyDown = (event: KeyboardEvent) => {
    if (!openingKeys.includes(event.key)) return;
    event.preventDefault();
    open(event.key === 'ArrowUp' ? 'last' : 'first');
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="icon-button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        title={label}
        onClick={() => open('first')}
        onKeyDown={onKeyDown}
      >
        <Icon name="more" />
      </button>
      {first !== null && (
        <Popover className="popover" aria-label={label} placement="bottom end" triggerRef={button} isOpen={isOpen} onOpenChange={setOpen}>
          <AriaMenu className="menu" aria-label={label} autoFocus={first} onClose={() => setOpen(false)}>
            {entries.map(({ id, label: text, icon, danger = false, onAction }) => (
              <AriaMenuItem key={id} id={id} textValue={text} className={classes('menu-item', danger && 'menu-danger')} onAction={onAction}>
                {icon && <Icon name={icon} size={18} />}
                {text}
              </AriaMenuItem>
            ))}
          </AriaMenu>
        </Popover>
      )}
    </>
  );
}
