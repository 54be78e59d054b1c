import type { AddKeyAnswer } from '@perch/schema';
import { useState } from 'react';
import { nameOf, useRobots } from '../../api/robots.js';
import { useSignedIn } from '../../api/session.js';
import { Button } from '../../ui/controls/button.js';
import { CodeBlock, CopyLine } from '../../ui/controls/copy.js';
import { Notice } from '../../ui/notice.js';
import { Select } from '../../ui/controls/select.js';
import { timeOf } from '../../ui/time/time.js';
import { clientConfigs, hookConfig, shellLines, type ClientConfig } from './client-configs.js';

export function NewKey({ made: { key, api_key }, onDone }: { made: AddKeyAnswer; onDone: () => void }) {
  const { base_url } = useSignedIn();
  const robots = (useRobots().data?.robots ?? []).filter(({ id }) => key.robots === '*' || key.robots.includes(id));
  const shell: ClientConfig = { id: 'shell', name: 'Shell', where: 'Run in a terminal.', text: shellLines(base_url, api_key, robots[0]?.id) };
  const configs = key.scopes.includes('approve')
    ? [hookConfig(base_url, api_key, robots.length === 1 ? robots[0]!.id : undefined)]
    : [...clientConfigs(base_url, api_key), shell];
  const [client, setClient] = useState(configs[0]!.id);
  const config = configs.find(({ id }) => id === client)!;
  return (
    <div className="new-key">
      <Notice tone="warn">Copy the key now: it is not shown again. If you lose it, revoke it and create a new one.</Notice>
      {key.former_secret_until !== undefined && <p>The old secret works until {timeOf(key.former_secret_until)}.</p>}
      <section>
        <CopyLine label="Key" text={api_key} secret />
        <CopyLine label="Base URL" text={base_url} />
      </section>
      {robots.length > 0 && (
        <section className="new-key-robots" aria-label="Robot ids">
          {robots.map((robot) => (
            <CopyLine key={robot.id} label={`Robot id of ${nameOf(robot)}`} text={robot.id} />
          ))}
        </section>
      )}
      <section>
        <Select label="Set up" value={client} onChange={setClient} options={configs.map(({ id, name }) => ({ id, label: name }))} />
        <CodeBlock label={`for ${config.name}`} caption={config.where} text={config.text} />
        {config.install !== undefined && (
          <p className="new-key-install">
            <a className="button button-plain" href={config.install}>
              Install in {config.name}
            </a>{' '}
            <span className="field-hint">Opens {config.name} if it is installed on this computer.</span>
          </p>
        )}
      </section>
      <div className="form-actions">
        <Button look="primary" onPress={onDone}>
          I have copied it
        </Button>
      </div>
    </div>
  );
}
