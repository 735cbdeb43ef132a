import type { Context } from 'hono';
import { parseModuleId, type ModuleId } from '../../core/index.ts';
import { problem } from '../problem.ts';

/** The address of the registry's health. */
export const HEALTH = '/healthz';

/** The address of metrics, if the registry serves them. */
export const METRICS = '/metrics';

/** The addresses of the script that installs an agent, and of the newest agent for a platform. */
export const INSTALL_SH = '/install.sh';
export const NEWEST_AGENT = '/install/:os/:cpu';

/** The address of the trust documents of the registry. */
export const TRUST = '/v1/trust';

/** The addresses of a module, of its releases, and of a release's yank and deprecation. */
export const MODULE = '/v1/modules/:namespace/:name';
export const RELEASES = '/v1/modules/:namespace/:name/releases';
export const YANK = '/v1/modules/:namespace/:name/releases/:version/yank';
export const DEPRECATION = '/v1/modules/:namespace/:name/releases/:version/deprecation';
/** The address of a release's notes. */
export const NOTES = '/v1/modules/:namespace/:name/releases/:version/notes';
/** The address of a release's staged rollout. */
export const ROLLOUT = '/v1/modules/:namespace/:name/releases/:version/rollout';
/** The addresses of a hosted file: to download it, and to upload it for a release of a module. */
export const ARTIFACT = '/v1/artifacts/sha256/:sha256';
export const UPLOAD = '/v1/modules/:namespace/:name/artifacts/sha256/:sha256';

/** The address at which a machine joins. */
export const JOIN = '/v1/join';

/** The addresses of the documents of a machine: the newest or another revision, all of them, signatures, and what the machine said. */
export const CONFIG = '/v1/machines/:id/config';
export const CONFIG_HISTORY = '/v1/machines/:id/config/history';
export const CONFIG_SIGNATURES = '/v1/machines/:id/config/signatures';
export const CONFIG_ANSWER = '/v1/machines/:id/config/answer';

/** The addresses of the values for `${secret.NAME}` of a machine: their names and each of them for people, and the values for the machine alone. */
export const SECRETS = '/v1/machines/:id/config/secrets';
export const SECRET = '/v1/machines/:id/config/secrets/:name';
export const SECRET_VALUES = '/v1/machines/:id/config/secret-values';

/** The addresses of what documents of machines share. */
export const FRAGMENTS = '/v1/fragments';
export const FRAGMENT = '/v1/fragments/:name';

/** The addresses of the commands to a machine, and of what it answers. */
export const COMMANDS = '/v1/machines/:id/commands';
export const COMMAND_OUTCOMES = '/v1/machines/:id/commands/outcomes';

/** The address of the commands to the machines of a group. */
export const GROUP_COMMANDS = '/v1/groups/:group/commands';

/** The addresses of machine reports, and of what they amount to. */
export const REPORTS = '/v1/machines/:id/reports';
export const FLEET = '/v1/fleet';
export const FLEET_FAILURES = '/v1/fleet/failures';
export const FLEET_MACHINES = '/v1/fleet/machines';
/** The address of the retirement of a machine. */
export const RETIRED = '/v1/fleet/machines/:id/retired';
/** The addresses to which machines send their logs by OTLP/HTTP, and at which they are read. */
export const LOGS = '/v1/logs';
export const FLEET_LOGS = '/v1/fleet/logs';
export const FLEET_ROLLOUTS = '/v1/fleet/rollouts';
export const FLEET_MODULE = '/v1/fleet/modules/:namespace/:name';
/** The address of what became of a module on the machines. */
export const FLEET_OUTCOMES = '/v1/fleet/modules/:namespace/:name/outcomes';

/** The response of `answer` for the module in the address, or a problem if its id is wrong. */
export function withModule<T>(c: Context, answer: (moduleId: ModuleId) => T): T | Response {
  const moduleId = parseModuleId(`${c.req.param('namespace')}:${c.req.param('name')}`);
  return moduleId.ok ? answer(moduleId.value) : problem('bad-request', moduleId.error.message);
}
