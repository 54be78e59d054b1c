import { useState, type ReactNode } from 'react';
import { DialogTrigger, Dialog } from 'react-aria-components/Dialog';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Button } from '../../../../ui/controls/button.js';
import { classes } from '../../../../ui/classes.js';

export interface Offer {
  id: string;
  /** Text of the entry. */
  label: string;
  picture?: ReactNode;
}

interface Props {
  /** Name of the button, with the argument. */
  label: string;
  /** What is chosen from, such as "Icons". */
  title: string;
  chosen: string;
  /** Returns the entries that match what was typed; null while they are loaded. */
  find(typed: string): readonly Offer[] | null;
  isGrid?: boolean;
  onOpen?(): void;
  onChoose(id: string): void;
}

/** A button that opens a searched list. The field beside it takes any text, for who knows the value. */
export function ChooseButton({ label, title, chosen, find, isGrid = false, onOpen, onChoose }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const change = (open: boolean): void => {
    setOpen(open);
    setTyped('');
    if (open) onOpen?.();
  };
  const offers = isOpen ? find(typed.trim().toLowerCase()) : [];
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={change}>
      <Button aria-label={label}>Choose</Button>
      <Popover className="popover chooser" placement="bottom end">
        <Dialog aria-label={title}>
          <input
            className="field-input"
            type="search"
            aria-label={`Search ${title.toLowerCase()}`}
            placeholder="Search"
            autoComplete="off"
            // The dialog was opened to search.
            autoFocus
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
          <ListBox
            className={classes('menu', isGrid && 'chooser-grid')}
            aria-label={title}
            layout={isGrid ? 'grid' : 'stack'}
            selectionMode="single"
            selectedKeys={[chosen]}
            items={offers ?? []}
            renderEmptyState={() => <p className="field-hint">{offers === null ? 'Loading …' : 'Nothing matches.'}</p>}
            onSelectionChange={(keys) => {
              // Empty: the chosen one was pressed once more.
              if (keys !== 'all' && keys.size > 0) onChoose(String([...keys][0]));
              change(false);
            }}
          >
            {({ id, label: text, picture }) => (
              <ListBoxItem id={id} textValue={text} className="menu-item">
                {picture}
                <span className="chooser-text">{text}</span>
              </ListBoxItem>
            )}
          </ListBox>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
