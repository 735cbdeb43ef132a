import semver from 'semver';

/*
 * What a policy says about releases, for the independent judges.
 */

/** Ages in milliseconds, by the step if `byStep` is set. (D97, D98, D99) */
export interface JudgedAge {
  readonly ms: number;
  readonly unknown: string;
  readonly byStep?:
    { readonly major: number; readonly minor: number; readonly patch: number } | undefined;
  readonly exempt?: readonly string[] | undefined;
  readonly afterYank?: number | undefined;
}

export interface JudgedRefusal {
  readonly versions: {
    readonly kind: string;
    readonly major?: number;
    readonly minor?: number;
    readonly version?: { readonly text: string };
  };
}

interface AgeTerms {
  readonly minimumAge?: JudgedAge | undefined;
  /** The text of the deployed version, if it is one. (D96, D97) */
  readonly deployed?: string | { readonly text: string } | undefined;
  readonly firstSeen?:
    | {
        readonly since: number;
        readonly added: ReadonlyMap<string, { readonly after: number; readonly at: number }>;
      }
    | undefined;
}

export function deployedIn({ deployed }: Pick<AgeTerms, 'deployed'>): string | undefined {
  return typeof deployed === 'object' ? deployed.text : deployed;
}

/** Whether `1.2.7`, `1.3.*` or `1.*` covers a version. */
export function covers(form: string | JudgedRefusal, text: string): boolean {
  if (typeof form === 'object') return covers(formOf(form), text);
  const numbers = form.replace(/\.\*$/, '').split('.');
  if (!form.endsWith('.*')) return form === text;
  return numbers.every((number, place) => text.split(/[-+]/)[0]?.split('.')[place] === number);
}

function formOf({ versions }: JudgedRefusal): string {
  if (versions.version) return versions.version.text;
  return `${[versions.major, versions.minor].filter((one) => one !== undefined).join('.')}.*`;
}

/** The age that a release needs; undefined if it needs none. */
export function ageFor(text: string, terms: AgeTerms): number | undefined {
  const { minimumAge: age, firstSeen } = terms;
  if (!age || age.exempt?.includes(text)) return undefined;
  const deployed = deployedIn(terms);
  if ((age.byStep || age.afterYank !== undefined) && deployed === text) return undefined;
  const from = deployed === undefined ? null : semver.parse(deployed);
  const to = semver.parse(text);
  let needed = age.ms;
  if (age.byStep) {
    const { major, minor, patch } = age.byStep;
    if (!from || !to) needed = Math.max(major, minor, patch);
    else if (from.major !== to.major) needed = major;
    else needed = from.minor === to.minor ? patch : minor;
  }
  const yank = firstSeen?.added.get(`yanked ${deployed}`);
  const seen = firstSeen?.added.get(text)?.at ?? firstSeen?.since ?? Infinity;
  if (from && yank && !(seen > yank.after || seen >= yank.at)) {
    needed = Math.min(needed, age.afterYank ?? Infinity);
  }
  return needed === 0 && age.ms !== 0 ? undefined : needed;
}
