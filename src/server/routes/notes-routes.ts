import type { Context, Hono } from 'hono';
import { parseVersion, type ModuleId } from '../../core/index.ts';
import { namespaceOf } from '../../core/releases/module-id.ts';
import { readNotesBody } from '../catalogue/release-notes.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { WriteChange } from '../catalogue/write-change.ts';
import { problem } from '../problem.ts';
import type { RegistryOptions } from '../registry-options.ts';
import { scopeRefusal, tokenOf } from './bearer.ts';
import type { Caller } from './caller.ts';
import { answeringToken, type Answer } from './guarded.ts';
import { jsonBody } from './json-body.ts';
import { NOTES, withModule } from './module-route.ts';

/** Adds the routes of release notes: all who may read a list read them, and who may publish a release adds them once (D379). */
export function addNotesRoutes(
  app: Hono,
  catalogue: Catalogue,
  { clock, log, write }: RegistryOptions & { readonly write: WriteChange },
): void {
  app.get(NOTES, (c) =>
    withVersion(c, (moduleId, version) => notesAnswer(c, catalogue, { moduleId, version })),
  );
  app.put(
    NOTES,
    answeringToken(
      tokenOf,
      { catalogue, clock, log },
      async (c, caller) => await addedAnswer(c, caller, write),
    ),
  );
}

interface Named {
  readonly moduleId: ModuleId;
  readonly version: string;
}

function notesAnswer(c: Context, catalogue: Catalogue, { moduleId, version }: Named): Response {
  const notes = catalogue.notes.of(moduleId, version);
  if (notes === undefined)
    return problem('unknown-version', `${moduleId} has no version ${version}`);
  return c.json({ module_id: moduleId, version, notes });
}

async function addedAnswer(
  c: Context,
  { token, changed }: Caller,
  write: WriteChange,
): Promise<Answer> {
  return await withVersion(c, async (moduleId, version) => {
    const refusal = scopeRefusal(token, 'publish', namespaceOf(moduleId));
    if (refusal) return refusal;
    const body = await jsonBody(c, readNotesBody);
    if (!body.ok) return body.error;
    const result = await write({ kind: 'notes', moduleId, version, notes: body.value });
    switch (result) {
      case 'unknown-module':
        return problem(result, `nothing was ever published for ${moduleId}`);
      case 'unknown-version':
        return problem(result, `${moduleId} has no version ${version}`);
      case 'other-notes':
        return problem(
          'already-published',
          `${moduleId} ${version} has other release notes, which stay`,
        );
      case 'done':
        changed({ kind: 'noted', moduleId, version });
        break;
      case 'unchanged':
    }
    return c.json({ module_id: moduleId, version, result }, result === 'done' ? 201 : 200);
  });
}

/** The answer of `answer` for the release in the address. */
function withVersion<T>(
  c: Context,
  answer: (moduleId: ModuleId, version: string) => T,
): T | Response {
  return withModule(c, (moduleId) => {
    const version = parseVersion(c.req.param('version'));
    if (!version.ok) return problem('bad-request', version.error.message);
    return answer(moduleId, version.value.text);
  });
}
