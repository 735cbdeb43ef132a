import { expect, it } from 'vitest';
import { lidarReport } from '../support/reported-facts.ts';
import { NOW, testSite } from './support/site-page.ts';

it('[D416] an edit that is looked at again is sent with the newest revision, and with a reason that is typed then', async () => {
  const site = testSite();
  site.publish('acme:lidar', '1.2.9');
  await site.report('rover-7', [lidarReport({ constraint: '1.2.*' }, NOW)]);
  const saved = { machine: 'rover-7', author: 'token t1 (ops)', reason: 'first', at: NOW };
  site.catalogue.configs.save({ ...saved, config: '{"modules":[]}', policy: '{}', basedOn: 0 });
  const path = '/machines/rover-7/edit/age?age=7d&based_on=0&reason=mine';
  const html = await (await site.app.request(path)).text();
  const hidden = html.matchAll(/<input type="hidden" name="(\w+)" value="(\w+)"/g);
  expect(Array.from(hidden, ([, name, value]) => [name, value])).toEqual([
    ['age', '7d'],
    ['based_on', '1'],
  ]);
});
