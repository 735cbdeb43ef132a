import { expect, it } from 'vitest';
import { sql } from '../support/backups.ts';
import { knownAnswers } from '../support/answers.ts';
import { textOf } from './support/machine-page.ts';
import { rollingOut, ROLLOUT, seenIn } from './support/rolling-site.ts';
import { moduleId, testSite } from './support/site-page.ts';

const MODULE = '/modules/acme%3Alidar';

it('each page of a site is answered as before', async () => {
  const lines: string[] = [];
  const site = await rollingOut();
  const show = async (path: string, { app } = site): Promise<void> => {
    const { status } = await app.request(path);
    const shown = (await textOf(app, path)).map((line) => line.replaceAll(site.path, 'FILE'));
    lines.push(`GET ${path}: ${status}`, ...shown, '');
  };
  const change = async (name: string, form: Readonly<Record<string, string>>): Promise<void> => {
    const [status, answer] = await site.post(`${ROLLOUT}/${name}`, form);
    const [, message = answer] = /<strong>([A-Z_]+<\/strong>[^<]*)/.exec(answer) ?? [];
    lines.push(`POST ${name} ${JSON.stringify(form)}: ${status}`, message, '');
  };
  await show('/', testSite());
  await show('/rollouts', testSite());
  await show('/modules', testSite());
  site.publish('acme:arm', '2.0.0', '3.0.0-rc.1');
  await site.report('rover-7', [{ decision: 'stuck', reason: 'no list', constraint: '2.*' }]);
  for (const path of [
    '/',
    '/?id=ROVER-1',
    '/?module=acme:lidar&version=1.3.0',
    '/?condition=stuck',
    '/?condition=behind&after=rover-3',
    '/machines/rover-1',
    '/machines/none',
    '/rollouts',
    ROLLOUT,
    '/rollouts/acme%3Alidar/1.2.9',
    '/rollouts/acme%3Alidar/9.9.9',
    '/rollouts/lidar/1.0.0',
    `${ROLLOUT}/halt`,
    `${ROLLOUT}/resume`,
    `${ROLLOUT}/retract`,
    `${ROLLOUT}/raise`,
    `${ROLLOUT}/raise?percent=100`,
    `${ROLLOUT}/raise?percent=1`,
    '/modules',
    '/modules?after=acme:arm',
    MODULE,
    '/modules/acme%3Anone',
    `${MODULE}/what-if?version=1.3.0`,
    `${MODULE}/what-if?version=1.4.0`,
    `${MODULE}/what-if?version=1`,
    '/v1/machines',
  ]) {
    await show(path);
  }
  await change('halt', { after: '1', reason: 'too early' });
  await change('halt', { after: seenIn(site), reason: 'loud' });
  await show(ROLLOUT);
  await show(`${ROLLOUT}/resume`);
  await change('resume', { after: seenIn(site), failed: '1', silent: '0', failures: '7' });
  await change('resume', { after: seenIn(site), failed: '1', silent: '0', failures: '1' });
  await change('raise', { after: seenIn(site), percent: '25' });
  await show(ROLLOUT);
  site.catalogue.yank(moduleId('acme:lidar'), '1.3.0', 'stops');
  await show(ROLLOUT);
  await change('retract', { after: seenIn(site), reason: 'stops' });
  await show('/rollouts');
  lines.push(...site.changes, '');
  sql(site.path, `UPDATE rollout_events SET content = '[]' WHERE module = 1`);
  await show('/rollouts');
  await show(MODULE);
  const text = lines.join('\n');
  expect(text).toBe(knownAnswers('site/pages.txt', text));
});
