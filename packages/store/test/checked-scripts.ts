import { format } from 'node:util';
import { redisAt, redisUrl } from '@perch/testkit';
import { connect, type Connections } from '../src/redis/connections.js';
import { redisScripts, type ScriptName } from '../src/redis/scripts.js';
import { declaredOutput, matches, type Output } from './programs/script-output.js';

const declared = new Map<ScriptName, Output>();

/** Connects to the Redis for tests; what scripts return is compared with their headers. The caller closes the connections. */
export async function testConnections(url?: string): Promise<Connections> {
  const connections = await connect(redisAt(url ?? (await redisUrl())));
  checkScriptOutputs(connections);
  return connections;
}

/**
 * Makes a script that returns something else than its header declares fail its caller. The type of a reply is made from the header, so call sites rely on
 * it. @returns the scripts that ran since
 */
export function checkScriptOutputs(connections: Connections): ReadonlySet<ScriptName> {
  const ran = new Set<ScriptName>();
  const { script } = connections;
  connections.script = async (name, keys, args) => {
    const reply = await script(name, keys, args);
    ran.add(name);
    if (!matches(outputOf(name), reply)) throw new Error(`${name} returned what its header does not declare: ${format('%j', reply)}`);
    return reply;
  };
  return ran;
}

function outputOf(name: ScriptName): Output {
  const known = declared.get(name) ?? declaredOutput(name, redisScripts[name].lua);
  declared.set(name, known);
  return known;
}
