import {
  indexReleases,
  parseConstraint,
  parseModuleId,
  parseVersion,
  resolve,
  type Constraint,
  type Eligibility,
  type ModuleId,
  type ReleaseRecord,
  type Resolution,
  type Version,
} from '../../src/core/index.ts';
import { publishedText } from '../../src/core/releases/refusal.ts';

/** A version, or a whole release record. */
export type Published = string | ReleaseRecord;

export function constraint(text: string): Constraint {
  const parsed = parseConstraint(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

export function version(text: string): Version {
  const parsed = parseVersion(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

export function records(published: readonly Published[]): ReleaseRecord[] {
  return published.map((entry) => (typeof entry === 'string' ? { version: entry } : entry));
}

export function ask(
  text: string,
  published: readonly Published[],
  eligibility?: Eligibility,
): Resolution {
  return resolve(constraint(text), indexReleases(records(published)), eligibility);
}

export function chosen(resolution: Resolution): string | undefined {
  return resolution.kind === 'resolved' ? resolution.release.version.text : undefined;
}

/** The refusals in their order, such as `1.2.9: older`. */
export function refusals(resolution: Resolution): string[] {
  return Array.from(resolution.refused(), (refused) => {
    return `${publishedText(refused)}: ${refused.reason}`;
  });
}

export function moduleId(text: string): ModuleId {
  const parsed = parseModuleId(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}
