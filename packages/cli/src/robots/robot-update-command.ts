import { robotUpdateStatus, updateRefusals, type RobotUpdateStatus } from '@perch/schema/plain';
import type { Holder, Store } from '@perch/store';
import { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordChange } from '../accounts/record-change.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';

/** A robot-link that reads the message later has read the request by then. */
const readWithinMs = 5000;
const pollMs = 1000;

export function robotUpdateCommand(session: Session): Command {
  return new Command('update')
    .description("updates the robot program in MicroPython to the service's version, and waits for the end")
    .argument('<robot>', 'id of the robot')
    .option('--status', 'changes nothing: prints the version that runs, the one offered, and how the last update went')
    .option('--no-wait', 'does not wait for the end of the update')
    .option('--json', 'prints {"robot", "state", "current", "offered", "error"}')
    .addHelpText(
      'after',
      '\nThe update begins when no question is open and no command and sound runs. The robot starts again with the new version, or keeps the one it has.' +
        '\n\nExamples:\n  $ perch robot update r-7k2m9qx4tb --status\n  $ perch robot update r-7k2m9qx4tb',
    )
    .action(async (robot: string, { status: isStatus, wait, json }: { status?: boolean; wait: boolean; json?: boolean }) => {
      const status = await session.withStore(async (store) => {
        const account = (await store.robots.get(robot))?.account;
        if (account === undefined) throw new Refused(`there is no robot ${robot}`);
        if (isStatus === true) return statusOf(store, robot);
        const asked = await store.robots.updates.request(account, robot, 'operator', store.clock.now());
        if (asked === 'unknown') throw new Refused(`there is no robot ${robot}`);
        if (typeof asked === 'string') throw new Refused(updateRefusals[asked]);
        await recordChange(session, store, account, 'robot_update', { robot });
        await tellLink(store, robot, asked.holder);
        if (wait) session.showLines(`The update of ${robot} to ${asked.version} begins when the robot is not busy.`);
        return wait ? untilOver(store, robot) : statusOf(store, robot);
      });
      if (status === null) throw new Refused(`${robot} does not run the robot program in MicroPython, or has not connected since this release runs`);
      session.print(json, { robot, ...status }, statusText);
      if (status.state === 'failed' && isStatus !== true) session.exitCode = 1;
    });
}

async function statusOf(store: Store, robot: string): Promise<RobotUpdateStatus | null> {
  const [record, stored] = await Promise.all([store.robots.get(robot), store.robots.updates.read(robot)]);
  return robotUpdateStatus(record?.firmware ?? null, stored, store.clock.now());
}

/** Ends, since an update that takes too long counts as failed. */
async function untilOver(store: Store, robot: string): Promise<RobotUpdateStatus | null> {
  for (;;) {
    const status = await statusOf(store, robot);
    if (status?.state !== 'requested' && status?.state !== 'updating') return status;
    await sleep(pollMs);
  }
}

/** A request for the state with `settings` makes the robot-link read the request for the update. */
async function tellLink(store: Store, robot: string, { instance, session }: Holder): Promise<void> {
  const expires = store.clock.now() + readWithinMs;
  await store.linkMailbox.send(instance, { t: 'state', id: randomUUID(), robot, session, gateway: store.instance, expires, settings: true });
}

function statusText({ robot, state, current, offered, error }: RobotUpdateStatus & { robot: string }): string {
  switch (state) {
    case 'up_to_date':
      return `${robot} runs ${current}, the version of this service`;
    case 'offered':
      return `${robot} runs ${current}, and ${offered} is offered`;
    case 'requested':
      return `${robot} runs ${current}; the update to ${offered} begins when it is not busy`;
    case 'updating':
      return `${robot} runs ${current}, and installs ${offered}`;
    case 'failed':
      return `${robot} runs ${current}; the update to ${offered} failed: ${error}`;
  }
}
