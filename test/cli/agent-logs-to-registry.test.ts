import { chmodSync, mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { servedCollector } from '../../mocks/log-collector.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { agentInProcess, type Polling } from '../support/polling.ts';
import { tokenFor } from '../support/token.ts';

/** What an agent says that was never started before, once it has read its policy. */
const BEGUN = 'so the first round changes nothing';
const KEY = 'modreg_key-of-rover-7';

/** A line without what differs each time. */
const stable = (line: string): string =>
  line
    .replace(/^\S+Z /, '')
    .replace(/of \S*machine\.json/, 'of FILE')
    .replace(/at \S+Z \(.*/, 'at TIME');

interface Sending {
  /** The origin that the credentials of the machine name. */
  readonly registry: string | undefined;
  readonly key?: string;
  readonly logs: object;
}

/** Starts an agent without modules, whose policy says where its log is sent. */
function agentSending({ registry, key = KEY, logs }: Sending): Polling {
  const credentials = { api_key_id: 't1', api_key: key, part_id: 'rover-7', registry };
  const folder = temporaryFolder({
    'machine.json': '{"modules":[]}',
    'policy.json': JSON.stringify({ logs }),
    'credentials.json': JSON.stringify(credentials),
  });
  chmodSync(`${folder}/credentials.json`, 0o600);
  mkdirSync(`${folder}/home`);
  const path = `${folder}/credentials.json`;
  return agentInProcess(folder, [], { MODREG_CREDENTIALS_FILE: path, OTHER_TOKEN: 'other' });
}

it('[D309] an agent sends its log to its registry with the key of the machine, and fleet logs shows it', async () => {
  const { address, catalogue } = await loopbackRegistry();
  const key = tokenFor(catalogue, ['machine:rover-7'], 'rover-7');
  const logs = { endpoint: `${address}/v1/logs` };
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['logs:read'], 'reader') };
  const shown = async (): Promise<string[]> => {
    const args = ['fleet', 'logs', '--machine', 'rover-7', '--registry', address];
    const { stdout } = await printed(args, { environment });
    return stdout.map(stable);
  };
  const agent = agentSending({ registry: address, key, logs });
  const first = 'info  running 0 modules of FILE, a round every 5 s (Ctrl-C stops)';
  await agent.until(BEGUN);
  expect(await agent.end('SIGTERM')).toMatchObject({ exit: 0 });
  expect(await shown()).toEqual([
    first,
    'info  no deployed version was ever recorded, so the first round changes nothing; the next round is at TIME',
    'info  got SIGTERM: stopping all modules',
    'info  all modules are stopped',
  ]);
});

const OTHER = { authorization: 'Bearer ${environment.OTHER_TOKEN}' };

it.each<[string, (origin: string) => Pick<Sending, 'registry'>, object, string | null]>([
  ['its registry', (registry) => ({ registry }), {}, `Bearer ${KEY}`],
  [
    'its registry, with a header of the policy',
    (registry) => ({ registry }),
    OTHER,
    'Bearer other',
  ],
  ['another server', () => ({ registry: 'https://registry.example' }), {}, null],
  ['a server, without a registry', () => ({ registry: undefined }), {}, null],
])(
  '[D309] an agent that sends its log to %s is authorized as it should be',
  async (_what, of, headers, authorization) => {
    const { endpoint, requests } = await servedCollector();
    const agent = agentSending({ ...of(new URL(endpoint).origin), logs: { endpoint, headers } });
    await agent.until(BEGUN);
    await agent.end('SIGTERM');
    expect(new Set(requests.map((one) => one.headers.get('authorization')))).toEqual(
      new Set([authorization]),
    );
  },
);
