/** Sharing of robots: what their owner sees and changes, and what the other person does with a share link. */
import type { ConsoleRobot, PeopleAnswer, PersonAnswer, RobotAnswer, ShareLinkAnswer, ShareOfferAnswer, SharePermission } from '@perch/schema';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCaller } from '../../api/api.js';
import type { CallError } from '../../api/call-error.js';
import { changeRobots } from '../../api/robots.js';

const peopleKey = (robot: string) => ['people', robot];
const pathOf = (robot: string) => `/console/robots/${encodeURIComponent(robot)}`;

/** Polled, since people accept links and leave while the page is open. */
export function usePeople(robot: string) {
  const caller = useCaller();
  return useQuery<PeopleAnswer, CallError>({
    queryKey: peopleKey(robot),
    queryFn: ({ signal }) => caller.get(`${pathOf(robot)}/people`, { signal }),
    refetchInterval: 5000,
  });
}

function usePeopleChange<Answer, Change>(robot: string, change: (change: Change) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation<Answer, CallError, Change>({
    mutationFn: change,
    // Also after a failure: the person may have left. The answer is shown once the list has it.
    onSettled: () => client.invalidateQueries({ queryKey: peopleKey(robot) }),
  });
}

export function useMakeShareLink(robot: string) {
  const caller = useCaller();
  return usePeopleChange(robot, (permission: SharePermission) => caller.post<ShareLinkAnswer>(`${pathOf(robot)}/share-links`, { permission }));
}

export function useRemoveShareLink(robot: string) {
  const caller = useCaller();
  return usePeopleChange(robot, (link: string) => caller.call('DELETE', `${pathOf(robot)}/share-links/${encodeURIComponent(link)}`));
}

export function useChangePerson(robot: string) {
  const caller = useCaller();
  return usePeopleChange(robot, ({ person, permission }: { person: string; permission: SharePermission }) =>
    caller.call<PersonAnswer>('PATCH', `${pathOf(robot)}/people/${encodeURIComponent(person)}`, { body: { permission } }),
  );
}

export function useRemovePerson(robot: string) {
  const caller = useCaller();
  return usePeopleChange(robot, (person: string) => caller.call('DELETE', `${pathOf(robot)}/people/${encodeURIComponent(person)}`));
}

export function useShareOffer(token: string) {
  const caller = useCaller();
  return useQuery<ShareOfferAnswer, CallError>({
    queryKey: ['share-offer', token],
    queryFn: ({ signal }) => caller.post('/console/shares/find', { token }, { signal }),
    staleTime: Infinity,
    gcTime: 0,
  });
}

export function useAcceptShare() {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<RobotAnswer, CallError, string>({
    mutationFn: (token) => caller.post('/console/shares', { token }),
    onSuccess: ({ robot }) =>
      changeRobots(client, ({ shared = [], ...answer }) => ({ ...answer, shared: [...shared.filter(({ id }) => id !== robot.id), robot] })),
  });
}

export function useLeaveRobot(id: string) {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<unknown, CallError>({
    mutationFn: () => caller.call('DELETE', `/console/shares/${encodeURIComponent(id)}`),
    onSuccess: () => changeRobots(client, ({ shared = [], ...answer }) => ({ ...answer, shared: shared.filter((robot) => robot.id !== id) })),
  });
}

/** Returns true for the account's own robot, and for one that is shared with it to use. */
export function mayUse({ shared }: Pick<ConsoleRobot, 'shared'>): boolean {
  return shared?.permission !== 'watch';
}
