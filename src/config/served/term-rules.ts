/**
 * Who may change a term of a machine that follows its site (D260, D262):
 * - `local`: nobody but its own documents; the site never serves it.
 * - `tighten`: under a pin, without a signature the site may only make it stricter.
 * - `signed`: under a pin, only with the signatures of operators.
 */
export type TermRule = 'local' | 'tighten' | 'signed';

const POLICY_TERMS: Readonly<Record<string, TermRule>> = {
  registry: 'local',
  trust: 'local',
  allow_http: 'local',
  require_digest: 'local',
  env_allow: 'local',
  self_update: 'local',
  logs: 'local',
  minimum_release_age: 'tighten',
  minimum_release_age_by_step: 'tighten',
  unknown_release_age: 'tighten',
  age_after_yank: 'tighten',
  maintenance: 'tighten',
  blackout: 'tighten',
};

/** A term that is not listed needs a signature. */
export function ruleOf(term: string): TermRule {
  return Object.hasOwn(POLICY_TERMS, term) ? (POLICY_TERMS[term] ?? 'signed') : 'signed';
}
