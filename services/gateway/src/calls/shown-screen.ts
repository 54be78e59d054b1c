import type { ScreenAction } from '@perch/schema';

/** A card or question that a call put on the screen of its robot. */
export interface ShownScreen {
  /** Redis ms. */
  readonly at: number;
  readonly action: ScreenAction;
  /** As validated; not changed afterwards. */
  readonly args: object;
}
