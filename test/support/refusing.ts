import type { RefusedVersions } from '../../src/core/releases/eligibility-policy.ts';
import { constraint } from './ask.ts';

/** What a site refuses: versions such as `1.2.7`, `1.3.*` or `1.*`. */
export function refusing(...forms: readonly string[]): RefusedVersions[] {
  // The tests name versions and branches only.
  return forms.map((text) => ({ versions: constraint(text) as RefusedVersions['versions'] }));
}
