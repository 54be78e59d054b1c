/** The account's robots. The live stream updates their list, which is fetched only before that. */
import type {
  AddRobotAnswer,
  AddRobotBody,
  ChangeRobotBody,
  ConsoleRobot,
  PairingAnswer,
  RobotAnswer,
  RobotLogAnswer,
  RobotsAnswer,
  TokenAnswer,
} from '@perch/schema';
import { queryOptions, useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCaller } from './api.js';
import type { CallError } from './call-error.js';
import type { Caller } from './caller.js';
import { forgetRobotToken } from './robot-tokens.js';

export const robotsKey = ['robots'];

export function robotsQuery(caller: Caller) {
  return queryOptions<RobotsAnswer, CallError>({
    queryKey: robotsKey,
    queryFn: ({ signal }) => caller.get('/console/robots', { signal }),
    staleTime: 30_000,
  });
}

export function useRobots() {
  return useQuery(robotsQuery(useCaller()));
}

/** Returns the account's own robot: undefined while loading, null if it has no such robot. */
export function useRobot(id: string): ConsoleRobot | null | undefined {
  const robot = useReachedRobot(id);
  return robot?.shared === undefined ? robot : null;
}

/** As `useRobot`, with the robots that are shared with the account. */
export function useReachedRobot(id: string): ConsoleRobot | null | undefined {
  const caller = useCaller();
  const { data } = useRobots();
  const listed = data && [...data.robots, ...(data.shared ?? [])].find((robot) => robot.id === id);
  // In a large account, the robot may not be in the live part of the list.
  const isBeyondLive = data !== undefined && listed === undefined && data.next !== null;
  const fetched = useQuery<RobotAnswer, CallError>({
    queryKey: [...robotsKey, 'one', id],
    queryFn: ({ signal }) => caller.get(`/console/robots/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: 5000,
    enabled: isBeyondLive,
  });
  if (!isBeyondLive) return data === undefined ? undefined : (listed ?? null);
  return fetched.error?.status === 404 ? null : fetched.data?.robot;
}

/** Returns the id if the robot has no name, as GET /v1/robots does. */
export function nameOf({ name, id }: Pick<ConsoleRobot, 'name' | 'id'>): string {
  return name || id;
}

/** Looks up the robot that a code would pair, without pairing it. */
export function useFindPairing() {
  const caller = useCaller();
  return useMutation<PairingAnswer, CallError, string>({ mutationFn: (code) => caller.post('/console/pairings', { code }) });
}

/** Boot reason and log of the robot, polled every 5 s while the panel is open. */
/** @param isOpen whether new lines are shown; otherwise it is read once */
export function useRobotLog(id: string, isOpen: boolean, isEnabled = isOpen) {
  const caller = useCaller();
  return useQuery<RobotLogAnswer, CallError>({
    queryKey: ['robot-log', id],
    queryFn: ({ signal }) => caller.get(`/console/robots/${encodeURIComponent(id)}/log`, { signal }),
    refetchInterval: isOpen && 5000,
    enabled: isEnabled,
  });
}

export function useAddRobot() {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<AddRobotAnswer, CallError, AddRobotBody>({
    mutationFn: (body) => caller.post('/console/robots', body),
    onSuccess: ({ robot }) =>
      changeRobots(client, ({ robots, ...answer }) => ({
        ...answer,
        robots: [...robots.filter(({ id }) => id !== robot.id), robot],
        total: robots.some(({ id }) => id === robot.id) ? answer.total : answer.total + 1,
      })),
  });
}

export function useRenameRobot(id: string) {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<unknown, CallError, { name: string }>({
    mutationFn: (body) => caller.call('PATCH', `/console/robots/${encodeURIComponent(id)}`, { body }),
    onSuccess: (_, { name }) =>
      changeRobots(client, (answer) => ({ ...answer, robots: answer.robots.map((robot) => (robot.id === id ? { ...robot, name } : robot)) })),
  });
}

export function useChangeRobot(id: string) {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<RobotAnswer, CallError, ChangeRobotBody>({
    mutationFn: (body) => caller.call('PATCH', `/console/robots/${encodeURIComponent(id)}`, { body }),
    onSuccess: ({ robot: changed }) =>
      changeRobots(client, (answer) => ({ ...answer, robots: answer.robots.map((robot) => (robot.id === id ? changed : robot)) })),
  });
}

/** Starts the update of the robot program that the robot is offered. */
export function useUpdateRobot(id: string) {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<RobotAnswer, CallError>({
    mutationFn: () => caller.post(`/console/robots/${encodeURIComponent(id)}/update`, {}),
    onSuccess: ({ robot: changed }) =>
      changeRobots(client, (answer) => ({ ...answer, robots: answer.robots.map((robot) => (robot.id === id ? changed : robot)) })),
  });
}

export function useRemoveRobot(id: string) {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<unknown, CallError>({
    mutationFn: () => caller.call('DELETE', `/console/robots/${encodeURIComponent(id)}`),
    onSuccess: () => {
      forgetRobotToken(id);
      changeRobots(client, (answer) => ({
        ...answer,
        robots: answer.robots.filter((robot) => robot.id !== id),
        total: Math.max(0, answer.total - 1),
      }));
    },
  });
}

/** Replaces the token of a virtual robot; connections with the old token are closed. */
export function useNewToken() {
  const caller = useCaller();
  return useMutation<string, CallError, string>({
    mutationFn: async (robot) => (await caller.post<TokenAnswer>(`/console/robots/${encodeURIComponent(robot)}/token`)).token,
  });
}

export function changeRobots(client: QueryClient, change: (answer: RobotsAnswer) => RobotsAnswer): void {
  client.setQueryData<RobotsAnswer>(robotsKey, (answer) => (answer === undefined ? undefined : change(answer)));
  void client.invalidateQueries({ queryKey: robotsKey });
}
