import { noArtifact } from './artifact.ts';
import { digestChanged } from './digest-change.ts';
import type { Policy } from './policy.ts';
import { publishTime } from './publish-time.ts';
import { quarantined } from './quarantine.ts';
import { yanked } from './yanked.ts';

/** The first policy that refuses `release`, in the order of the decision table. */
export const ineligible: Policy = (question, release) =>
  yanked(question, release) ??
  noArtifact(question, release) ??
  digestChanged(question, release) ??
  quarantined(question, release) ??
  publishTime(question, release);
