import type { Context, Hono } from 'hono';
import { textOf } from '../../core/text/time-words.ts';
import { stopsAsJson } from '../../host/plan/plan-document.ts';
import type { SavedConfig } from '../../host/config/config-file.ts';
import type { VersionChoices } from '../../host/config/version-choices.ts';
import type { PlannedOutcome } from '../../host/plan/planned-outcome.ts';
import type { PagedMachine } from '../paged-machine.ts';
import { problemAnswer } from '../problem-answer.ts';
import { BODIES, bodyOf, CONFIG_BODY, ifMatch, jsonIn, SMALL_BODY } from '../request-input.ts';
import { nameIn } from './change-api-routes.ts';

/** The version of a module and the whole machine config in the JSON API. */
export function addConfigApiRoutes(app: Hono, machine: PagedMachine): void {
  addVersionRoutes(app, machine);
  app.get('/v1/config', async (c) => {
    const config = await machine.config();
    if (!config.ok) return problemAnswer(config.error);
    const { file, text, etag } = config.value;
    return c.json({ schema: 'modreg/config@1', file, text }, 200, { etag });
  });
  app.post('/v1/config/check', async (c) => {
    const text = await bodyOf(c, CONFIG_BODY);
    const body = text.ok ? jsonIn(c, text.value, BODIES.config) : text;
    if (!body.ok) return problemAnswer(body.error);
    const checked = await machine.checkConfig(body.value.text);
    if (!checked.ok) return problemAnswer(checked.error);
    const { errors, warnings, findings, problems, changes } = checked.value;
    return c.json({
      schema: 'modreg/config-check@1',
      errors,
      warnings,
      findings,
      changes:
        changes?.map(({ kind, name, before = null, after = null }) => {
          return { kind, name, before, after };
        }) ?? null,
      problems,
    });
  });
  app.put('/v1/config', async (c) => {
    const etag = ifMatch(c);
    if (!etag.ok) return problemAnswer(etag.error);
    const text = await bodyOf(c, CONFIG_BODY);
    const body = text.ok ? jsonIn(c, text.value, BODIES.config) : text;
    if (!body.ok) return problemAnswer(body.error);
    const saved = await machine.saveConfig({ text: body.value.text, etag: etag.value });
    return saved.ok ? savedAnswer(c, saved.value) : problemAnswer(saved.error);
  });
}

function addVersionRoutes(app: Hono, machine: PagedMachine): void {
  app.get('/v1/modules/:name/compare', async (c) => {
    const compared = await machine.compare(nameIn(c));
    if (!compared.ok) return problemAnswer(compared.error);
    return c.json(choicesAsJson(compared.value), 200, { etag: compared.value.etag });
  });
  app.put('/v1/modules/:name/version', async (c) => {
    const etag = ifMatch(c);
    if (!etag.ok) return problemAnswer(etag.error);
    const text = await bodyOf(c, SMALL_BODY);
    const body = text.ok ? jsonIn(c, text.value, BODIES.version) : text;
    if (!body.ok) return problemAnswer(body.error);
    const saved = await machine.changeVersion(nameIn(c), { ...body.value, etag: etag.value });
    return saved.ok ? savedAnswer(c, saved.value) : problemAnswer(saved.error);
  });
}

function savedAnswer(c: Context, { etag, isChanged, lines }: SavedConfig): Response {
  return c.json({ schema: 'modreg/config-saved@1', changed: isChanged, lines }, 200, { etag });
}

function choicesAsJson(compared: VersionChoices): object {
  const { name, moduleId, deployed, constraint, now, choices } = compared;
  return {
    schema: 'modreg/version-choices@1',
    name,
    module_id: moduleId,
    deployed,
    constraint,
    now: outcomeAsJson(now),
    choices: choices.map((choice) => ({
      type: choice.type,
      constraint: choice.constraint,
      current: choice.isCurrent,
      outcome: outcomeAsJson(choice),
      check: choice.check,
      line: choice.line,
    })),
  };
}

function outcomeAsJson(outcome: PlannedOutcome): object {
  return {
    decision: outcome.decision,
    direction: outcome.direction ?? null,
    target: outcome.target ?? null,
    reason: textOf(outcome.reason),
    next_change: outcome.nextChange === undefined ? null : textOf(outcome.nextChange),
    new_major: outcome.isNewMajor,
    stops: stopsAsJson(outcome.stops),
    shares: outcome.shares,
  };
}
