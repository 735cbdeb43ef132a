import * as v from 'valibot';
import { parseConstraint, parseModuleId, type Constraint, type ModuleId } from '../core/index.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import { environmentTemplate, variableName } from './fields/environment-reference.ts';
import { parseFault } from './fault.ts';
import { choice, mapOf, oneOf, openFields, parsed, type Schema } from './fields/fields.ts';
import { name } from './fields/name.ts';

const HALF = '[A-Za-z0-9][A-Za-z0-9_-]{0,62}';
/** A module_id. */
export const MODULE_ID_PATTERN: string = `${HALF}:${HALF}`;
/** A number of a version. */
export const NUMBER = '(?:0|[1-9]\\d*)';
const IDENTIFIERS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const PRERELEASE = `(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
/** SemVer 2.0.0, without the upper limit of its numbers. */
export const VERSION_PATTERN: string = `${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${PRERELEASE}(?:\\.${PRERELEASE})*)?(?:\\+${IDENTIFIERS})?`;

const moduleId: Schema<ModuleId> = parsed(
  (value) => {
    const id = parseModuleId(value);
    return id.ok ? id : { ok: false, error: parseFault(id.error) };
  },
  { type: 'string', pattern: `^${MODULE_ID_PATTERN}$` },
);

const constraint: Schema<Constraint> = parsed(
  (value) => {
    const read = parseConstraint(value);
    return read.ok ? read : { ok: false, error: parseFault(read.error) };
  },
  {
    type: 'string',
    maxLength: 256,
    pattern: `^(?:${VERSION_PATTERN}|${NUMBER}\\.(?:${NUMBER}\\.)?\\*|latest(?:-with-prerelease)?)$`,
  },
);

const entries = {
  type: oneOf(['registry', 'local']),
  name,
  module_id: moduleId,
  env: v.optional(mapOf(variableName, environmentTemplate), {}),
};

/** A registry module, or a local module, whose `version` is ignored. Other fields are kept for the agent. */
export const moduleEntry: Schema<ModuleEntry> = choice(
  { type: 'local' },
  {
    matching: v.pipe(
      openFields({ ...entries, version: v.optional(v.unknown()) }),
      v.transform(({ type: _local, name: own, module_id, env, version: _ignored, ...extra }) => ({
        type: 'local' as const,
        name: own,
        moduleId: module_id,
        env,
        extra,
      })),
    ),
    otherwise: v.pipe(
      openFields({ ...entries, version: constraint }),
      v.transform(({ type: _registry, name: own, module_id, env, version, ...extra }) => ({
        type: 'registry' as const,
        name: own,
        moduleId: module_id,
        env,
        constraint: version,
        extra,
      })),
    ),
  },
);
