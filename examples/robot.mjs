/** Returns the robot PERCH_ROBOT, or the key's first one, of the service at PERCH_BASE_URL with the key PERCH_API_KEY. */
import process from 'node:process';
import { Perch } from '@perch/client';

export async function theRobot() {
  const { PERCH_BASE_URL: baseUrl = 'http://127.0.0.1:8080', PERCH_API_KEY: apiKey, PERCH_ROBOT: id } = process.env;
  const perch = new Perch({ baseUrl, apiKey });
  if (id !== undefined) return perch.robot(id);
  const [first] = await perch.robots();
  if (first === undefined) throw new Error('the key has no robots');
  return perch.robot(first.id);
}
