/**
 * Starts the bridge with the options of the app as its settings: `mqtt_url` is PERCH_MQTT_URL. Without `mqtt_url` the Supervisor is asked for the broker.
 * `node run.mjs OPTIONS MAIN [SUPERVISOR]`
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [optionsFile, main, supervisor = 'http://supervisor'] = process.argv.slice(2);
const isSet = (value) => value !== null && value !== undefined && value !== '';
const options = Object.fromEntries(Object.entries(JSON.parse(readFileSync(optionsFile, 'utf8'))).filter(([, value]) => isSet(value)));
const settings = isSet(options.mqtt_url) ? options : { ...(await brokerOfSupervisor()), ...options };
for (const [name, value] of Object.entries(settings)) process.env[`PERCH_${name.toUpperCase()}`] = String(value);
await import(pathToFileURL(resolve(main)).href);

/** Returns the options that the broker of the service `mqtt` stands for. Exits if there is no such service. */
async function brokerOfSupervisor() {
  try {
    const answer = await fetch(`${supervisor}/services/mqtt`, { headers: { authorization: `Bearer ${process.env.SUPERVISOR_TOKEN}` } });
    const { data, message } = await answer.json();
    if (!answer.ok) throw new Error(message);
    const { host, port, ssl, username, password } = data;
    const user = { mqtt_username: username, mqtt_password: password };
    return { mqtt_url: `${ssl === true ? 'mqtts' : 'mqtt'}://${host}:${port}`, ...(isSet(username) && user) };
  } catch (error) {
    process.stderr.write(`No MQTT broker (${error.message}). Install and start the app Mosquitto broker, or set mqtt_url.\n`);
    process.exit(1);
  }
}
