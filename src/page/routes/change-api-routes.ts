import type { Context, Hono } from 'hono';
import type { Result } from '../../core/index.ts';
import { holdDocument, holdsDocument, unholdDocument } from '../../host/requests/hold-words.ts';
import {
  cancelDocument,
  liftDocument,
  quarantineDocument,
  refusalDocument,
  restartDocument,
  rollbackDocument,
} from '../../host/requests/request-documents.ts';
import { upgradeDocument } from '../../host/requests/upgrade-words.ts';
import type { PageProblem } from '../page-problem.ts';
import type { PagedMachine } from '../paged-machine.ts';
import { documentAnswer, problemAnswer } from '../problem-answer.ts';
import { repeatedRequests } from '../repeated-requests.ts';
import { BODIES, bodyOf, jsonIn, SMALL_BODY, termIn } from '../request-input.ts';

type Work = (c: Context, body: string) => Promise<Response>;

/** Restart, rollback and quarantine in the JSON API. The documents are those of the commands. */
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
      return answer(await machine.restart(nameIn(c), { isImmediate, deployed }), restartDocument);
    }),
  );
  app.delete(
    '/v1/modules/:name/restart',
    change(async (c, text) => {
      const body = jsonIn(c, text, BODIES.none);
      if (!body.ok) return problemAnswer(body.error);
      return answer(await machine.cancelRestart(nameIn(c)), cancelDocument);
    }),
  );
  app.post(
    '/v1/modules/:name/rollback',
    change(async (c, text) => {
      const body = jsonIn(c, text, BODIES.rollback);
      if (!body.ok) return problemAnswer(body.error);
      const { for: duration, ...seen } = body.value;
      const term = termIn(duration);
      if (!term.ok) return problemAnswer(term.error);
      const rollback = { termMs: term.value, ...seen };
      return answer(await machine.rollBack(nameIn(c), rollback), rollbackDocument);
    }),
  );
  addQuarantineRoutes(app, machine, change);
  addHoldRoutes(app, machine, change);
  addUpgradeRoute(app, machine, change);
}

function addUpgradeRoute(
  app: Hono,
  machine: PagedMachine,
  change: (work: Work) => (c: Context) => Promise<Response>,
): void {
  app.post(
    '/v1/modules/:name/upgrade',
    change(async (c, text) => {
      const body = jsonIn(c, text, BODIES.upgrade);
      if (!body.ok) return problemAnswer(body.error);
      const { now = false, despite = [], reason, by, ...seen } = body.value;
      const named = nameIn(c);
      if (!now) return answer(await machine.askUpgrade(named), upgradeDocument);
      return answer(await machine.upgrade({ named, despite, reason, by, seen }), upgradeDocument);
    }),
  );
}

function addHoldRoutes(
  app: Hono,
  machine: PagedMachine,
  change: (work: Work) => (c: Context) => Promise<Response>,
): void {
  app.get('/v1/holds', async () => {
    return answer(await machine.holds(), ({ holds }) => holdsDocument(holds));
  });
  app.post(
    '/v1/holds',
    change(async (c, text) => {
      const body = jsonIn(c, text, BODIES.hold);
      if (!body.ok) return problemAnswer(body.error);
      const { module: named, for: duration, until, reason, by } = body.value;
      return answer(
        await machine.setHold({ named, for: duration, until, reason, by }),
        holdDocument,
      );
    }),
  );
  app.delete(
    '/v1/holds',
    change(async (c, text) => {
      const body = jsonIn(c, text, BODIES.unhold);
      if (!body.ok) return problemAnswer(body.error);
      const { module: named, since } = body.value;
      return answer(await machine.endHold({ named, since }), unholdDocument);
    }),
  );
}

function addQuarantineRoutes(
  app: Hono,
  machine: PagedMachine,
  change: (work: Work) => (c: Context) => Promise<Response>,
): void {
  app.get('/v1/quarantine', async () => {
    return answer(await machine.quarantine(), ({ entries }) => quarantineDocument(entries));
  });
  app.post(
    '/v1/quarantine',
    change(async (c, text) => {
      const body = jsonIn(c, text, BODIES.quarantine);
      if (!body.ok) return problemAnswer(body.error);
      const { module, version, reason, for: duration } = body.value;
      const term = termIn(duration);
      if (!term.ok) return problemAnswer(term.error);
      const refused = { module, version, reason, termMs: term.value };
      return answer(await machine.quarantineVersion(refused), refusalDocument);
    }),
  );
  app.delete(
    '/v1/quarantine/:module_id/:version',
    change(async (c, text) => {
      const body = jsonIn(c, text, BODIES.lift);
      if (!body.ok) return problemAnswer(body.error);
      const moduleId = c.req.param('module_id') ?? '';
      const version = c.req.param('version') ?? '';
      const entry = { moduleId, version, since: body.value.since };
      return answer(await machine.liftQuarantine(entry), liftDocument);
    }),
  );
}

/** The name of a module entry or a subsystem in the address. */
export function nameIn(c: Context): string {
  return c.req.param('name') ?? '';
}

function answer<T>(done: Result<T, PageProblem[]>, document: (value: T) => object): Response {
  return done.ok ? documentAnswer(document(done.value), '\n') : problemAnswer(done.error);
}
