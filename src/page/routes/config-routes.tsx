import type { Context, Hono } from 'hono';
import type { Frame } from '../frame.tsx';
import type { CheckedConfig } from '../machine-changes.ts';
import type { PageProblem } from '../page-problem.ts';
import type { PagedMachine } from '../paged-machine.ts';
import { statusOf } from '../problem-answer.ts';
import { CONFIG_BODY, fieldOf, formOf } from '../request-input.ts';
import { ChangeView } from '../views/change-view.tsx';
import { ConfigView } from '../views/config-view.tsx';
import { Problems } from '../views/modules-view.tsx';
import { pathOf } from './action-routes.tsx';
import { nameIn } from './change-api-routes.ts';

const CHANGED = 'CHANGED_MEANWHILE';

/** The page of the version types of a module, and that of the machine config (T138). */
export function addConfigRoutes(app: Hono, machine: PagedMachine, frame: Frame): void {
  addVersionRoutes(app, machine, frame);
  addTextRoutes(app, machine, frame);
}

function isStale([first]: readonly PageProblem[]): boolean {
  return first?.code === CHANGED;
}

function addVersionRoutes(app: Hono, machine: PagedMachine, frame: Frame): void {
  const shown = async (
    c: Context,
    chosen?: string,
    problems: readonly PageProblem[] = [],
  ): Promise<Response> => {
    const compared = await machine.compare(nameIn(c), chosen);
    if (!compared.ok) return await frame.failed(c, compared.error);
    const { label, constraint } = compared.value;
    const view = { module: pathOf(c), choices: compared.value, chosen: chosen ?? constraint };
    return await frame.page(
      c,
      { view: machine, title: `Change ${label}`, tab: '/' },
      <>
        <Problems problems={problems} />
        <ChangeView {...view} />
      </>,
    );
  };
  app.get('/modules/:name/change', async (c) => {
    const typed = c.req.query('version')?.trim() ?? '';
    return await shown(c, typed === '' ? undefined : typed);
  });
  app.post('/modules/:name/change', async (c) => {
    const form = await formOf(c);
    if (!form.ok) return await frame.failed(c, form.error);
    const version = fieldOf(form.value, 'version') ?? '';
    const seen = { etag: form.value.get('etag') ?? '', deployed: form.value.get('deployed') ?? '' };
    const saved = await machine.changeVersion(nameIn(c), { version, ...seen });
    if (saved.ok) return c.redirect(pathOf(c), 303);
    const status = statusOf(saved.error);
    if (!isStale(saved.error)) return await frame.failed(c, saved.error, status);
    c.status(status);
    return await shown(c, version, saved.error);
  });
}

/** What the page of the config shows besides the file. */
interface Sent {
  readonly text?: string;
  readonly check?: CheckedConfig;
  readonly unsaved?: string;
  readonly problems?: readonly PageProblem[];
  /** The ETag of the file that the person began with. */
  readonly etag?: string;
}

function addTextRoutes(app: Hono, machine: PagedMachine, frame: Frame): void {
  const shown = async (
    c: Context,
    { text, check, unsaved, problems = [], etag }: Sent = {},
  ): Promise<Response> => {
    const config = await machine.config();
    if (!config.ok) return await frame.failed(c, config.error);
    const seen = { ...config.value, etag: etag ?? config.value.etag };
    const view = { config: seen, text: text ?? config.value.text, check, unsaved };
    return await frame.page(
      c,
      { view: machine, title: 'Config', tab: '/config' },
      <>
        <Problems problems={problems} />
        <ConfigView {...view} />
      </>,
    );
  };
  app.get('/config', async (c) => await shown(c));
  app.post('/config/check', async (c) => {
    const sent = await textOf(c, machine);
    if (!sent.ok) return await frame.failed(c, sent.error);
    const checked = await machine.checkConfig(sent.value.text);
    if (!checked.ok) return await frame.failed(c, checked.error);
    return await shown(c, { ...sent.value, check: checked.value });
  });
  app.post('/config', async (c) => {
    const sent = await textOf(c, machine);
    if (!sent.ok) return await frame.failed(c, sent.error);
    const saved = await machine.saveConfig(sent.value);
    if (saved.ok) return c.redirect('/config', 303);
    c.status(statusOf(saved.error));
    return isStale(saved.error)
      ? await shown(c, { unsaved: sent.value.text, problems: saved.error })
      : await shown(c, { ...sent.value, problems: saved.error });
  });
}

/** The text of a form, with the line ends of the file: a browser sends each as CR LF. */
async function textOf(c: Context, machine: PagedMachine): Promise<SentText> {
  const form = await formOf(c, CONFIG_BODY);
  if (!form.ok) return form;
  const config = await machine.config();
  if (!config.ok) return config;
  const lineEnd = /\r\n|\n|\r/.exec(config.value.text)?.[0] ?? '\n';
  const text = (form.value.get('text') ?? '').replaceAll(/\r\n|\n|\r/g, lineEnd);
  return { ok: true, value: { text, etag: form.value.get('etag') ?? '' } };
}

type SentText =
  | { readonly ok: true; readonly value: { readonly text: string; readonly etag: string } }
  | { readonly ok: false; readonly error: PageProblem[] };
