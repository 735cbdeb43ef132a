import { describe, expect, it } from 'vitest';
import { plainServer } from '../../mocks/plain-server.ts';
import type { UpgradeRequest } from '../../src/core/decision/upgrade-request.ts';
import { agentSite, type AgentSite } from '../support/agent-site.ts';
import { openFrom } from '../support/decided.ts';
import { moduleId } from '../support/ask.ts';
import { entry } from '../support/planned.ts';
import { byOperator } from './support/by-operator.ts';
import { whileDownloading } from './support/while-downloading.ts';

const TARGET = { kind: 'module', name: 'lidar', moduleId: moduleId('acme:lidar') } as const;
const STAYS = 'exec sleep 1000';
const LIDAR = { modules: [entry('acme:lidar', '1.*', 'lidar')] };
const SERVED = { ...LIDAR, agent: { 'platform-server': {} } };

/** What the program of the module, or of the server, answers when it is asked whether it may be stopped. */
interface Answer {
  restart_allowed: boolean;
  reason?: string;
}

/** A site that runs 1.0.0 of a lidar and of a server, if its config has one; the one of them that answers is `asked`. */
async function site(
  config: object,
  asked: 'acme:lidar' | 'platform:server',
  answer: Answer,
): Promise<AgentSite> {
  const server = await plainServer((response) => void response.end(JSON.stringify(answer)));
  const meta = { entrypoint: 'run', restart_status: `${server.address}/restart` };
  const made = await agentSite(config);
  if (config === SERVED) made.publish('platform:server', '1.0.0', STAYS, meta);
  made.publish('acme:lidar', '1.0.0', STAYS, asked === 'acme:lidar' ? meta : undefined);
  await made.start();
  await made.until('lidar running 1.0.0');
  await made.until('done');
  return made;
}

/** Requests the upgrade as another process does. */
async function request(made: AgentSite, despite: UpgradeRequest['despite'] = []): Promise<void> {
  const requestedAt = Date.now();
  const asked = { requestedAt, by: 'ann', because: undefined, from: '1.0.0', to: '1.1.0' };
  byOperator(made, (state) => state.requestUpgrade(TARGET, { ...asked, despite }));
  await made.change({});
}

/** Why the last decision about the lidar was made. */
function reasonIn(made: AgentSite): string | undefined {
  let reason: string | undefined;
  byOperator(made, (state) => {
    reason = state.decisions().find(({ name }) => name === 'lidar')?.reason;
  });
  return reason;
}

describe('[D76] an upgrade that an operator requests at once', () => {
  it('passes a server that does not allow a restart, and a window that has closed', async () => {
    const made = await site(SERVED, 'platform:server', { restart_allowed: false });
    made.publish('acme:lidar', '1.1.0', `: another; ${STAYS}`);
    await made.until('lidar is held: maintenance-not-allowed not-allowed');
    await made.change({}, { window: openFrom() });
    await request(made);
    await made.until('lidar stopped 1.0.0');
    await made.until('lidar running 1.1.0');
    await made.until('done');
    byOperator(made, (state) => expect(state.memory().upgradeRequests).toEqual([]));
  });

  it('passes the veto that it names, with the reason of now', async () => {
    const answer = { restart_allowed: false, reason: 'docking' };
    const made = await site(LIDAR, 'acme:lidar', answer);
    made.publish('acme:lidar', '1.1.0', `: another; ${STAYS}`);
    await made.until('lidar is held: veto docking');
    answer.reason = 'person in cell';
    await request(made, [{ by: 'lidar', said: 'docking' }]);
    await expect
      .poll(() => reasonIn(made))
      .toMatch(/^lidar must not .*: person in cell; requested/);
    expect(made.story).not.toContain('lidar stopped 1.0.0');
    await request(made, [{ by: 'lidar', said: 'person in cell' }]);
    await made.until('lidar stopped 1.0.0');
    await made.until('lidar running 1.1.0');
  });

  it('is held again by another reason that is given while it is downloaded (D72)', async () => {
    const answer: Answer = { restart_allowed: true };
    const made = await site(LIDAR, 'acme:lidar', answer);
    const happened = await whileDownloading(made, ['acme:lidar', `: another; ${STAYS}`], {
      during: async () => {
        Object.assign(answer, { restart_allowed: false, reason: 'docking' });
        await request(made, [{ by: 'lidar', said: 'person in cell' }]);
      },
      line: 'lidar is not begun: 1.1.0',
    });
    expect(happened).toEqual(['lidar is held: veto docking', 'lidar is not begun: 1.1.0']);
  });
});
