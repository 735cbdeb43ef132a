import { randomBytes } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { COMMAND_KINDS, type CommandKind } from '../../../core/trust/command-text.ts';
import type { Frame } from '../../frame.tsx';
import { quote } from '../../../core/text/quote.ts';
import { asBadField, asPageProblem } from '../../page-problem.ts';
import { fieldOf, formOf } from '../../request-input.ts';
import { authorOf } from '../author.ts';
import { answered, type PagedSite } from '../site-answer.ts';
import { CommandsView, CommandView } from '../views/site-commands.tsx';
import { machinePath } from '../views/site-words.tsx';

const KEY_BYTES = 16;

/** The commands to a machine, and a form for each kind, which says first what it does (D321, D437). */
export function addCommandRoutes(app: Hono, site: PagedSite, frame: Frame): void {
  app.get('/machines/:id/commands', async (c) => {
    const machine = c.req.param('id');
    const list = await answered(() => site.commands(machine));
    if (!list.ok) return await frame.failed(c, list.error);
    const shown = {
      view: site,
      title: `Commands to ${machine}`,
      tab: '/',
      live: 'regular',
    } as const;
    return await frame.page(c, shown, <CommandsView list={list.value} now={site.now()} />);
  });
  for (const kind of COMMAND_KINDS) {
    const path = `/machines/:id/commands/${kind}`;
    app.get(path, async (c) => {
      const list = await answered(() => site.commands(c.req.param('id') ?? ''));
      if (!list.ok) return await frame.failed(c, list.error);
      const { machine, names } = list.value;
      const module = c.req.query('module');
      if (module !== undefined && !names.includes(module)) {
        const message = `${machine} reports no module or subsystem ${quote(module)}`;
        const problem = { severity: 'error', kind: 'unknown-reference', message } as const;
        return await frame.failed(c, [asPageProblem(problem)]);
      }
      const key = randomBytes(KEY_BYTES).toString('base64url');
      const shown = { view: site, title: `Have ${machine} ${kind}`, tab: '/' };
      const form = { kind, key, module };
      return await frame.page(c, shown, <CommandView list={list.value} form={form} />);
    });
    app.post(path, async (c) => await given(c, kind, { site, frame }));
  }
}

async function given(
  c: Context,
  kind: CommandKind,
  { site, frame }: { readonly site: PagedSite; readonly frame: Frame },
): Promise<Response> {
  const form = await formOf(c);
  if (!form.ok) return await frame.failed(c, form.error);
  const field = (name: string): string | undefined => fieldOf(form.value, name);
  const machine = c.req.param('id') ?? '';
  const command = {
    key: field('key') ?? '',
    kind,
    module: field('module'),
    for: field('for'),
    version: field('version'),
    reason: field('reason') ?? '',
  };
  const done = await answered(() => site.give(machine, command, authorOf(c)));
  if (!done.ok) return await frame.failed(c, done.error.map(asBadField));
  return c.redirect(`${machinePath(machine)}/commands`, 303);
}
