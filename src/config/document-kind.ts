import type { Expected } from '../core/text/argument.ts';

/** A kind of document: a machine config, an agent configuration, or an update policy. */
export type DocumentKind = 'machine' | 'agent' | 'policy';

export const DOCUMENT_KINDS: readonly DocumentKind[] = ['machine', 'agent', 'policy'];

export const KIND_NAMES: Readonly<Record<DocumentKind, string>> = {
  machine: 'a machine config',
  agent: 'an agent configuration',
  policy: 'an update policy',
};

export const DOCUMENT_KIND: Expected = {
  is: (value) => DOCUMENT_KINDS.some((kind) => kind === value),
  words: 'machine, agent or policy',
};

/** The field of a newer format of agent configurations that names the versions. */
export const NEWER_VERSIONS = 'version_control';
const SUBSYSTEMS = [
  'platform-agent',
  'platform-server',
  'agent-provisioning',
  'agent-syscfg',
  NEWER_VERSIONS,
];
const POLICY_FIELDS = [
  'registry',
  'allow_http',
  'minimum_release_age',
  'unknown_release_age',
  'minimum_release_age_by_step',
  'age_after_yank',
  'age_exempt',
  'trust',
  'npm_keys',
  'trust_clock',
  'maintenance',
  'blackout',
  'allow_downgrade',
  'on_yank',
  'require_digest',
  'refuse',
  'quarantine',
  'restart_cooldown',
  'restart_ceiling',
  'longest_hold',
  'max_index_age',
  'env_allow',
  'command',
  'run_as',
  'no_new_privs',
  'ready',
  'ready_timeout',
  'probation',
  'probe_interval',
  'stop_timeout',
  'restart_status',
  'restart_status_unclear',
  'prefetch',
  'disk_reserve_mib',
  'group',
  'logs',
  'tags',
  'provides',
  'self_update',
];

/** The kind that a document's top-level fields suggest; `machine` when they suggest none. */
export function kindOf(value: unknown): DocumentKind {
  return suggestedKind(value) ?? 'machine';
}

/** The kind that a document's top-level fields suggest; undefined when they suggest none. */
export function suggestedKind(value: unknown): DocumentKind | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const has = (fields: readonly string[]): boolean =>
    fields.some((field) => Object.hasOwn(value, field));
  if (has(SUBSYSTEMS)) return 'agent';
  const modules: unknown = (value as { readonly modules?: unknown }).modules;
  const modulesByName = typeof modules === 'object' && modules !== null && !Array.isArray(modules);
  if (has(['components', 'agent']) || Array.isArray(modules)) return 'machine';
  return has(POLICY_FIELDS) || modulesByName ? 'policy' : undefined;
}
