import type { Hono } from 'hono';
import { labelFor } from '../../host/machine-row.ts';
import type { Frame } from '../frame.tsx';
import type { PagedMachine } from '../paged-machine.ts';
import { fieldOf, formOf } from '../request-input.ts';
import { UpgradeView } from '../views/upgrade-view.tsx';
import { pathOf } from './action-routes.tsx';
import { nameIn } from './change-api-routes.ts';

/** The page that says what holds a replacement, and its form, which requests it at once (D76). */
export function addUpgradeRoutes(app: Hono, machine: PagedMachine, frame: Frame): void {
  app.get('/modules/:name/upgrade', async (c) => {
    const upgrade = await machine.previewUpgrade(nameIn(c));
    if (!upgrade.ok) return frame.failed(c, upgrade.error);
    const title = `Upgrade ${labelFor(upgrade.value.row)}`;
    const shown = { module: pathOf(c), upgrade: upgrade.value };
    return frame.page(c, { view: machine, title, tab: '/' }, <UpgradeView {...shown} />);
  });
  app.post('/modules/:name/upgrade', async (c) => {
    const form = await formOf(c);
    if (!form.ok) return frame.failed(c, form.error);
    const done = await machine.upgrade({
      named: nameIn(c),
      despite: form.value.getAll('despite'),
      reason: fieldOf(form.value, 'reason'),
      by: fieldOf(form.value, 'by') ?? '',
      seen: { deployed: form.value.get('deployed') ?? '', to: form.value.get('to') ?? '' },
    });
    return done.ok ? c.redirect(pathOf(c), 303) : frame.failed(c, done.error);
  });
}
