/** Robots of other accounts as a guest sees them: without labels and settings, which are their owner's. */
import type { ConsoleRobot, SharedBy } from '@perch/schema';
import type { OwnersRobot, SharedRobot, Store } from '@perch/store';
import { noSuchRobot } from '../robots/no-such-robot.js';
import { robotViewOf } from '../robots/robot-view.js';

type SharedViewsStore = Pick<Store, 'sharedRobots' | 'guests' | 'robots' | 'robotList' | 'accounts' | 'clock'>;

export class SharedViews {
  readonly #store: SharedViewsStore;

  constructor(store: SharedViewsStore) {
    this.#store = store;
  }

  /** Oldest share first. */
  async of(account: string): Promise<ConsoleRobot[]> {
    const { sharedRobots, robotList, accounts } = this.#store;
    const shared = await sharedRobots.with(account);
    const permissions = new Map(shared.map(({ robot, permission }) => [robot, permission]));
    const views = new Map<string, ConsoleRobot>();
    await Promise.all(
      [...new Set(shared.map(({ owner }) => owner))].map(async (owner) => {
        const among = shared.filter((each) => each.owner === owner).map(({ robot }) => robot);
        const by = (await accounts.get(owner))?.email;
        // Null: the account is being removed.
        if (by === undefined) return;
        for await (const slice of robotList.forOwner(owner, { among }))
          for (const robot of slice) views.set(robot.id, this.#viewOf(robot, { by, permission: permissions.get(robot.id)! }));
      }),
    );
    return shared.flatMap(({ robot }: SharedRobot) => views.get(robot) ?? []);
  }

  /** @throws {ApiError} unknown_robot if it is not shared with the account */
  async one(account: string, robot: string): Promise<ConsoleRobot> {
    const { guests, robots, robotList, accounts } = this.#store;
    const owner = (await robots.get(robot))?.account;
    const guest = owner === undefined ? null : await guests.find(robot, account);
    if (owner === undefined || guest === null) throw noSuchRobot();
    const [found, by] = await Promise.all([robotList.one(owner, robot), accounts.get(owner)]);
    if (found === null || by === null) throw noSuchRobot();
    return this.#viewOf(found, { by: by.email, permission: guest.permission });
  }

  #viewOf(robot: OwnersRobot, shared: SharedBy): ConsoleRobot {
    const {
      update: _update,
      labels: _labels,
      time_zone: _zone,
      volume_max: _volume,
      quiet_hours: _hours,
      ...view
    } = robotViewOf(robot, this.#store.clock.now());
    return { ...view, shared };
  }
}
