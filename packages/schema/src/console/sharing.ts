/** Robots that their owner shares with people of other accounts, on the web page alone: an API key reaches only robots of its own account. */

/** `watch`: state, live stream, events, picture of the screen. `use`: also actions, stop and scenes. */
export const sharePermissions = ['watch', 'use'] as const;

export type SharePermission = (typeof sharePermissions)[number];

export const sharingLimits = {
  /** People with whom a robot is shared, and links that nobody has accepted, together. */
  peopleMax: 20,
  /** Robots of other accounts that an account may have. */
  robotsMax: 200,
  linkDays: 7,
} as const;

/** How a robot of another account was shared with this one. */
export interface SharedBy {
  /** E-mail address of the owner. */
  by: string;
  permission: SharePermission;
}

/** Someone with whom a robot is shared, as its owner sees them. */
export interface ConsolePerson {
  id: string;
  email: string;
  permission: SharePermission;
  since: string;
}

/** A link that nobody has accepted yet. */
export interface ConsoleShareLink {
  id: string;
  permission: SharePermission;
  expires_at: string;
}

/** GET /console/robots/{robot}/people, oldest first. For the owner, like all paths below. */
export interface PeopleAnswer {
  ok: true;
  people: ConsolePerson[];
  links: ConsoleShareLink[];
}

/** POST /console/robots/{robot}/share-links, and PATCH /console/robots/{robot}/people/{person}, which is answered with `PersonAnswer`. */
export interface PermissionBody {
  permission: SharePermission;
}

/** `token` is returned only here. It works once, for the first account that accepts it. */
export interface ShareLinkAnswer {
  ok: true;
  link: ConsoleShareLink;
  token: string;
}

export interface PersonAnswer {
  ok: true;
  person: ConsolePerson;
}

/**
 * POST /console/shares accepts a link and is answered with `RobotAnswer`; POST /console/shares/find shows what it offers and changes nothing. DELETE
 * /console/shares/{robot} gives the robot up.
 */
export interface ShareTokenBody {
  token: string;
}

export interface ShareOfferAnswer {
  ok: true;
  offer: SharedBy & {
    robot: { id: string; name: string };
    /** True if the robot belongs to the account that asks: it cannot accept the link. */
    yours: boolean;
  };
}
