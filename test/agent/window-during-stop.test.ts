import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plainServer } from '../../mocks/plain-server.ts';
import { agentSite } from '../support/agent-site.ts';
import { openFrom } from '../support/decided.ts';
import { component, entry } from '../support/planned.ts';

const ARM = {
  components: [
    component('scanner', 'acme:lidar:vlp16'),
    component('arm', 'acme:arm:six-axis', 'scanner'),
  ],
  modules: [
    entry('acme:lidar', '1.*', 'lidar'),
    entry('acme:arm', '1.*', 'arm'),
    entry('acme:cam', '1.*', 'cam'),
  ],
};
const STAYS = 'exec sleep 1000';
const CLOSED = { window: openFrom() };
const OPEN = { window: undefined };

it('[T363, D72] a window that opens and closes while a dependent stops: what was begun is finished, and nothing else begins', async () => {
  const made = await agentSite(ARM, { stopMs: 600_000 });
  const folded = join(made.home, 'folded');
  const parks = `trap 'echo folding; while [ ! -e ${folded} ]; do sleep 0.02; done; exit 0' TERM
    while :; do sleep 0.02; done`;
  made.publish('acme:lidar', '1.0.0', STAYS);
  made.publish('acme:cam', '1.0.0', STAYS);
  made.publish('acme:arm', '1.0.0', parks);
  await made.start();
  for (const _ of ARM.modules) await made.until('done');
  made.publish('acme:lidar', '1.1.0', `: another; ${STAYS}`);
  await made.until('arm says folding');
  await made.change({}, CLOSED);
  await made.change({}, OPEN);
  await made.change({}, CLOSED);
  made.publish('acme:cam', '1.1.0', `: another; ${STAYS}`);
  writeFileSync(folded, '');
  await made.until('lidar stopped 1.0.0');
  await made.until('lidar running 1.1.0');
  await made.until('arm running 1.0.0');
  expect(made.story).not.toContain('cam stopped 1.0.0');
  // It stops once: only now, when the window is open again.
  await made.change({}, OPEN);
  await made.until('cam stopped 1.0.0');
});

const SERVED = { agent: { 'platform-server': {} }, modules: [entry('acme:lidar', '1.*', 'lidar')] };

it('[D72, D26] a window that closes while what was permitted waits for the server, which began at the same moment: it is not begun', async () => {
  // It takes two seconds until no answer counts as a yes.
  let hanging = 0;
  let isHanging = false;
  const status = await plainServer((response) => {
    if (isHanging) hanging += 1;
    else response.end('{"restart_allowed": true}');
  });
  const made = await agentSite(SERVED, { stopMs: 600_000 });
  const folded = join(made.home, 'folded');
  const parks = `trap 'echo folding; while [ ! -e ${folded} ]; do sleep 0.02; done; exit 0' TERM
    while :; do sleep 0.02; done`;
  const restart_status = `${status.address}/restart`;
  made.publish('platform:server', '1.0.0', parks);
  made.publish('acme:lidar', '1.0.0', STAYS, { entrypoint: 'run', restart_status });
  await made.start();
  await made.until('lidar running 1.0.0');
  await made.until('done');
  const answers = ['acme:lidar', 'platform:server'].map((id) => {
    const answer = made.delay(id, '1.1.0');
    made.publish(id, '1.1.0', `: another; ${STAYS}`);
    return answer;
  });
  const downloads = (): string[] => made.requests.filter((path) => path.endsWith('/1.1.0'));
  await expect.poll(downloads).toHaveLength(2);
  isHanging = true;
  answers[0]?.();
  await expect.poll(() => hanging).toBeGreaterThan(0);
  answers[1]?.();
  await made.until('platform-server says folding');
  await made.change({}, CLOSED);
  writeFileSync(folded, '');
  await made.until('platform-server running 1.1.0');
  await made.until('lidar running 1.0.0');
  isHanging = false;
  await made.change({}, OPEN);
  await made.until('lidar running 1.1.0');
});
