import { Menu as AriaMenu, MenuItem as AriaMenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import type { ReactNode } from 'react';
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

export function Menu({ button, label, entries }: { button: ReactNode; label: string; entries: readonly MenuEntry[] }) {
  return (
    <MenuTrigger>
      {button}
      <Popover className="popover" placement="bottom end">
        <AriaMenu className="menu" aria-label={label}>
          {entries.map(({ id, label: text, icon, danger = false, onAction }) => (
            <AriaMenuItem key={id} id={id} textValue={text} className={classes('menu-item', danger && 'menu-danger')} onAction={onAction}>
              {icon && <Icon name={icon} size={18} />}
              {text}
            </AriaMenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
