import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainServer } from '../../mocks/plain-server.ts';
import type { UpdateTerms } from '../../src/config/index.ts';
import { agentSite, FOR_PROGRAM, type AgentSite } from '../support/agent-site.ts';
import { component, entry } from '../support/planned.ts';
import { whileDownloading } from './support/while-downloading.ts';

const LIDAR = { modules: [entry('acme:lidar', '1.*', 'lidar')] };
const STAYS = 'exec sleep 1000';

/** A module that depends on the lidar. */
const ARM = {
  components: [
    component('scanner', 'acme:lidar:vlp16'),
    component('arm', 'acme:arm:six-axis', 'scanner'),
  ],
  modules: [...LIDAR.modules, entry('acme:arm', '1.*', 'arm')],
};

/** A site whose arm is asked, and what it answers. */
async function withArm(
  answer: (to: ServerResponse) => unknown,
  terms: Partial<UpdateTerms['run']> = {},
): Promise<AgentSite> {
  const server = await plainServer((response) => void answer(response));
  const made = await agentSite(ARM, terms);
  made.publish('acme:lidar', '1.0.0', STAYS);
  const restart_status = `${server.address}/restart`;
  made.publish('acme:arm', '1.0.0', STAYS, { entrypoint: 'run', restart_status });
  await made.start();
  await made.until('arm running 1.0.0');
  return made;
}

describe('[D77] a module that says whether it may be stopped', () => {
  it('keeps what it depends on from being replaced, which would stop it', async () => {
    let reason: string | undefined = 'docking';
    const made = await withArm((to) =>
      to.end(JSON.stringify({ restart_allowed: reason === undefined, reason })),
    );
    made.publish('acme:lidar', '1.1.0', `: another; ${STAYS}`);
    await made.until('lidar is held: veto docking');
    expect(made.story).not.toContain('arm stopped 1.0.0');
    reason = undefined;
    await made.until('arm stopped 1.0.0');
    await made.until('lidar running 1.1.0');
    await made.until('arm running 1.0.0');
  });

  it('has one reason, although it gives another one each time', async () => {
    let step = 0;
    const made = await withArm((to) =>
      to.end(JSON.stringify({ restart_allowed: step > 20, reason: `docking, step ${++step}` })),
    );
    made.publish('acme:lidar', '1.1.0', `: another; ${STAYS}`);
    await made.until(/^lidar is held: veto docking, step \d+$/);
    await made.until('lidar stopped 1.0.0');
    expect(made.story.filter((line) => line.includes('held'))).toEqual([]);
    await made.until('lidar running 1.1.0');
  });

  it('is asked again after the download', async () => {
    let isAllowed = true;
    const made = await withArm((to) => to.end(JSON.stringify({ restart_allowed: isAllowed })));
    const happened = await whileDownloading(made, ['acme:arm', `: another; ${STAYS}`], {
      during: () => void (isAllowed = false),
      line: 'arm is not begun: 1.1.0',
    });
    expect(happened).toEqual(['arm is held: veto undefined', 'arm is not begun: 1.1.0']);
  });

  it.each<[string, (to: ServerResponse) => unknown, string]>([
    ['answers 500', (to) => to.writeHead(500).end('{"restart_allowed": false}'), 'answered 500'],
    [
      'answers another type',
      (to) => to.end('[]'),
      'answered without restart_allowed: true or false',
    ],
    [
      'answers 10 MB',
      (to) => to.end(' '.repeat(10_000_000)),
      'answered with more than 65536 characters',
    ],
    ['hangs', () => undefined, 'did not answer within 2 seconds'],
  ])('[T362] may be stopped if it %s, and the log says why', async (_, answer, why) => {
    const made = await withArm(answer);
    made.publish('acme:lidar', '1.1.0', `: another; ${STAYS}`);
    await made.until(new RegExp(`^arm does not say: .*/restart ${why}$`));
    const before = made.story.filter((line) => line.includes('held'));
    await made.until('lidar running 1.1.0');
    expect(before).toEqual([]);
  });

  it('is not stopped if it does not say, and the policy takes that for a no', async () => {
    let isBroken = true;
    const made = await withArm(
      (to) => (isBroken ? to.writeHead(500).end() : to.end('{"restart_allowed": true}')),
      { onUnclearStatus: 'hold' },
    );
    made.publish('acme:lidar', '1.1.0', `: another; ${STAYS}`);
    await made.until('lidar is held: veto it does not say whether it may be stopped');
    expect(made.story).not.toContain('arm stopped 1.0.0');
    isBroken = false;
    await made.until('lidar running 1.1.0');
  });

  it('is not asked after it has crashed twice, so that it cannot prevent its repair', async () => {
    const server = await plainServer((response) => void response.end('{"restart_allowed": false}'));
    const restart_status = `${server.address}/restart`;
    const made = await agentSite(LIDAR, FOR_PROGRAM);
    const [crash, starts] = ['crash', 'starts'].map((name) => join(made.home, name));
    const script = `echo >>'${starts}'
      case $(wc -l <'${starts}') in
        1) while [ ! -e '${crash}' ]; do sleep 0.05; done; exit 3;;
        2) exit 3;;
      esac
      ${STAYS}`;
    made.publish('acme:lidar', '1.0.0', script, { entrypoint: 'run', restart_status });
    await made.start();
    await made.until('done');
    writeFileSync(String(crash), '');
    await made.until('lidar backing-off 1.0.0');
    await made.until('lidar running 1.0.0');
    made.publish('acme:lidar', '1.1.0', STAYS);
    await made.until('lidar trying 1.1.0');
    expect(server.requests).toEqual([]);
  });
});
