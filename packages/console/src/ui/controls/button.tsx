/** Everything that is pressed: buttons, links that look like them, and small square ones with an icon alone. */
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { Tooltip, TooltipTrigger } from 'react-aria-components/Tooltip';
import type { ReactNode } from 'react';
import { Link, type LinkProps } from 'react-router';
import { classes } from '../classes.js';
import { Icon, type IconName } from '../icon.js';
import { Spinner } from '../spinner.js';
import './button.css';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';

interface Dressed {
  /** `primary`: the one thing to do here. `plain`: others. `quiet`: in passing. `danger`: it takes something away. */
  look?: Look;
  small?: boolean;
  icon?: IconName;
}

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'style'>, Dressed {
  children: ReactNode;
  className?: string;
}

/** While it is pending it keeps its width and says so; pressing it does nothing. */
export function Button({ look = 'plain', small = false, icon, children, className, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={classes('button', `button-${look}`, small && 'button-small', className)}>
      {({ isPending }) => (
        <>
          <span className="button-face">
            {icon && <Icon name={icon} size={small ? 16 : 18} />}
            {children}
          </span>
          {isPending && <Spinner label="Working" />}
        </>
      )}
    </AriaButton>
  );
}

export function LinkButton({ look = 'plain', small = false, icon, children, className, ...props }: LinkProps & Dressed) {
  return (
    <Link {...props} className={classes('button', `button-${look}`, small && 'button-small', className)}>
      <span className="button-face">
        {icon && <Icon name={icon} size={small ? 16 : 18} />}
        {children}
      </span>
    </Link>
  );
}

export interface IconButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'style' | 'aria-label'> {
  icon: IconName;
  /** Its name, shown on hover and focus. */
  label: string;
}

export function IconButton({ icon, label, ...props }: IconButtonProps) {
  return (
    <TooltipTrigger delay={500} closeDelay={100}>
      <AriaButton {...props} aria-label={label} className="icon-button">
        <Icon name={icon} />
      </AriaButton>
      <Tooltip offset={6} className="tooltip">
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}
