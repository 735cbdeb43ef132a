import { quote } from '../../core/text/quote.ts';
import type { Result } from '../../core/index.ts';

/** What a token may do, as `parseScope` returns it: `publish`, `yank:acme`, `outcomes:acme`, `machine:rover-7`, `group:canary`, `fleet:read`, `wall`, `config`, `commands`, `trust`, or
 * that of an invitation, `join:rover-7`. */
export type Scope = string & { readonly brand: 'scope' };

/** What a request does to the releases of a namespace. `import` publishes a release with a publish time of long ago,
 * `rollout` halts, resumes, raises or retracts the rollout of one. */
export type Change = 'publish' | 'yank' | 'import' | 'rollout';

/** The forms of a scope, for a message. */
export const SCOPE_FORMS =
  'publish, yank, rollout or import, each with or without :<namespace>, outcomes:<namespace>, machine:<id>, group:<group>, fleet:read, wall, config, commands, trust, or logs:read';

const HALF = '[A-Za-z0-9][A-Za-z0-9_-]{0,62}';
const SCOPE = new RegExp(
  `^(?:(?:publish|yank|rollout|import)(?::${HALF})?|outcomes:${HALF}|machine:[A-Za-z0-9][A-Za-z0-9._-]{0,127}|join:[A-Za-z0-9][A-Za-z0-9._-]{0,127}|group:[A-Za-z0-9][A-Za-z0-9._-]{0,62}|fleet:read|wall|config|commands|trust|logs:read)$`,
);

/** Parses a scope. The error is one escaped line. */
export function parseScope(text: string): Result<Scope, string> {
  if (SCOPE.test(text)) return { ok: true, value: text as Scope };
  return { ok: false, error: `${quote(text)} is not a scope, expected ${SCOPE_FORMS}` };
}

/** The scope that a change to `namespace` needs and `scopes` lack; undefined if they allow it. */
export function missingScope(
  scopes: readonly Scope[],
  change: Change,
  namespace: string,
): Scope | undefined {
  // A token that may import the releases of another registry may also publish new ones.
  const allowing = change === 'publish' ? (['publish', 'import'] as const) : [change];
  const isAllowed = allowing.some((one) =>
    scopes.some((scope) => scope === one || scope === `${one}:${namespace}`),
  );
  return isAllowed ? undefined : (`${change}:${namespace}` as Scope);
}

/** The scope of a token that may read what machines reported. */
export const FLEET_READ: Scope = 'fleet:read' as Scope;

/** The scope of a token that may read what became of the modules of a namespace, which `fleet:read` may as well (D368). */
export function outcomesScope(namespace: string): Scope {
  return `outcomes:${namespace}` as Scope;
}

/** The scope of a token that opens the wall of the site's page, and nothing else. */
export const WALL: Scope = 'wall' as Scope;

/** The scope of a token that may change the rollouts of all namespaces. */
export const ROLLOUT_ALL: Scope = 'rollout' as Scope;

/** The scope of a token that may read and change the documents of machines. */
export const CONFIG_SCOPE: Scope = 'config' as Scope;

/** The scope of a token that may read the logs of machines. */
export const LOGS_READ: Scope = 'logs:read' as Scope;
/** The scope of a token that may give commands to machines. */
export const COMMANDS_SCOPE: Scope = 'commands' as Scope;

/** The scope of a token that may store the next version of the trust document. */
export const TRUST_SCOPE: Scope = 'trust' as Scope;

/** Whether a token with these scopes only reports for machines. Its use is not recorded: each machine of a fleet has such a token. */
export function isOfMachines(scopes: readonly string[]): boolean {
  return scopes.every((scope) => /^(?:machine|group):/.test(scope));
}

const MACHINE = 'machine:';

/** The machine that a token is for; undefined if it is for none. */
export function machineIn(scopes: readonly Scope[]): string | undefined {
  return scopes.find((scope) => scope.startsWith(MACHINE))?.slice(MACHINE.length);
}

/** The scope of the token of the machine `id`, which may report for that machine only. */
export function machineScope(id: string): Scope {
  return `${MACHINE}${id}` as Scope;
}

/** The machines that a token with these scopes is of. */
export function machinesOf(scopes: readonly string[]): readonly string[] {
  return scopes.flatMap((scope) =>
    scope.startsWith(MACHINE) ? [scope.slice(MACHINE.length)] : [],
  );
}

/** The scope of an invitation of the machine `id`: who has it gets the token of that machine, once (D194). */
export function joinScope(id: string): Scope {
  return `join:${id}` as Scope;
}

const GROUP = 'group:';

/**
 * The group that a registry counts a machine in: the one that it reports, unless its token names groups and that is none of them; then
 * the first of the token (D109).
 */
export function allowedGroup(
  scopes: readonly Scope[],
  reported: string | undefined,
): string | undefined {
  const allowed = scopes.flatMap((scope) =>
    scope.startsWith(GROUP) ? [scope.slice(GROUP.length)] : [],
  );
  const isAllowed = allowed.length === 0 || (reported !== undefined && allowed.includes(reported));
  return isAllowed ? reported : allowed[0];
}
