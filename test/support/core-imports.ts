/** What the parts of `src/core` may import: nothing that reads, writes or waits. */
export const CORE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'core/text': ['fastest-levenshtein'],
  'core/version': ['core/text', 'fastest-levenshtein'],
  'core/rollout': ['core/text'],
  'core/releases': ['core/text', 'core/version', 'core/rollout'],
  // Texts and roles of signed metadata: what checks signatures is in `registry/trust`.
  'core/trust': ['core/text', 'core/releases'],
  'core/decision': ['core/text', 'core/version', 'core/releases'],
  'core/machine': ['core/text', 'core/version', 'core/releases', 'core/decision'],
  'core/explanation': ['core/text', 'core/version', 'core/releases', 'core/decision'],
  'core/plan': [
    'core/text',
    'core/version',
    'core/releases',
    'core/decision',
    'core/machine',
    'core/explanation',
  ],
  'core/lint': ['core/version', 'core/releases', 'core/decision', 'core/plan'],
  core: [],
};
