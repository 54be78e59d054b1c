import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { Tooltip, TooltipTrigger } from 'react-aria-components/Tooltip';
import type { ReactNode } from 'react';
import { Link, type LinkProps } from 'react-router';
import { classes } from '../classes.js';
import { Icon, type IconName } from '../icon.js';
import { Spinner } from '../spinner.js';
import './button.css';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';

export interface ButtonStyle {
  /** `primary`: the main action. `plain`: other actions. `quiet`: minor actions. `danger`: actions that delete something. */
  look?: Look;
  small?: boolean;
  icon?: IconName;
}

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'style'>, ButtonStyle {
  children: ReactNode;
  className?: string;
}

/** While pending, it keeps its width, shows a spinner and ignores presses. */
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

export function LinkButton({ look = 'plain', small = false, icon, children, className, ...props }: LinkProps & ButtonStyle) {
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
  /** Accessible name, also shown as a tooltip. */
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
