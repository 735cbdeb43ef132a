import type { Context, Hono } from 'hono';
import type { Result } from '../../core/index.ts';
import type { PageProblem } from '../page-problem.ts';
import type { PagedMachine } from '../paged-machine.ts';
import { problemAnswer } from '../problem-answer.ts';
import { repeatedRequests } from '../repeated-requests.ts';
import { BODIES, bodyOf, jsonIn, SMALL_BODY, termIn } from '../request-input.ts';

type Work = (c: Context, body: string) => Promise<Response>;

/** Restart, rollback and quarantine in the JSON API. The answers are those of the commands. */
export function addChangeApiRoutes(app: Hono, machine: PagedMachine): void {
  const repeated = repeatedRequests();
  const change = (work: Work) => async (c: Context) => {
    const body = await bodyOf(c, SMALL_BODY);
    if (!body.ok) return problemAnswer(body.error);
    return await repeated.once(c, body.value, async () => await work(c, body.value));
  };
  app.post(
    '/v1/modules/:name/restart',
    change(async (c, text) => {
      const body = jsonIn(c, text, BODIES.restart);
      if (!body.ok) return problemAnswer(body.error);
      const { now: isImmediate = false, deployed } = body.value;
      return answer(await machine.restart(nameIn(c), { isImmediate, deployed }));
    }),
  );
  app.delete(
    '/v1/modules/:name/restart',
    change(async (c, text) => {
      const body = jsonIn(c, text, BODIES.none);
      return body.ok ? answer(await machine.cancelRestart(nameIn(c))) : problemAnswer(body.error);
    }),
  );
  app.post(
    '/v1/modules/:name/rollback',
    change(async (c, text) => {
      const body = jsonIn(c, text, BODIES.rollback);
      if (!body.ok) return problemAnswer(body.error);
      const { for: duration, deployed, to } = body.value;
      const term = termIn(duration);
      if (!term.ok) return problemAnswer(term.error);
      return answer(await machine.rollBack(nameIn(c), { termMs: term.value, deployed, to }));
    }),
  );
  app.post('/v1/look', async (c) => {
    const looked = await machine.look();
    return looked.ok ? c.body(null, 204) : problemAnswer(looked.error);
  });
  addQuarantineRoutes(app, machine, change);
}

function addQuarantineRoutes(
  app: Hono,
  machine: PagedMachine,
  change: (work: Work) => (c: Context) => Promise<Response>,
): void {
  app.get('/v1/quarantine', async () => {
    const list = await machine.quarantine();
    return answer(list.ok ? { ok: true, value: list.value.json } : list);
  });
  app.post(
    '/v1/quarantine',
    change(async (c, text) => {
      const body = jsonIn(c, text, BODIES.quarantine);
      if (!body.ok) return problemAnswer(body.error);
      const { module, version, reason, for: duration } = body.value;
      const term = termIn(duration);
      if (!term.ok) return problemAnswer(term.error);
      return answer(await machine.quarantineVersion({ module, version, reason, for: duration }));
    }),
  );
  app.delete(
    '/v1/quarantine/:module_id/:version',
    change(async (c, text) => {
      const body = jsonIn(c, text, BODIES.lift);
      if (!body.ok) return problemAnswer(body.error);
      const moduleId = c.req.param('module_id') ?? '';
      const version = c.req.param('version') ?? '';
      return answer(await machine.liftQuarantine({ moduleId, version, since: body.value.since }));
    }),
  );
}

/** The name of a module entry or a subsystem in the address. */
export function nameIn(c: Context): string {
  return c.req.param('name') ?? '';
}

/** The JSON document of a command as a response. */
function answer(done: Result<string, PageProblem[]>): Response {
  if (!done.ok) return problemAnswer(done.error);
  return new Response(`${done.value}\n`, { headers: { 'content-type': 'application/json' } });
}
