/*
 * What the documents of a month mean, read naively: for the oracle, and for who writes them. It imports nothing from src.
 */

/** Documents of the site, as a person has them in mind. */
export interface Wanted {
  /** The version of each module, by the name of its entry. */
  readonly modules: Readonly<Record<string, string>>;
  /** A variable of `acme_lidar`; undefined for none. */
  readonly rate: string | undefined;
  /** Whether the settings of the system cut the machine off. */
  readonly cuts: boolean;
  /** The first days of blackouts, each a day long. */
  readonly blackouts: readonly string[];
  /** A term of the machine alone, or a config that cannot be read. */
  readonly fault: 'local-term' | 'malformed' | undefined;
}

export interface Texts {
  readonly config: string;
  readonly policy: string | undefined;
}

export const IDS: Readonly<Record<string, string>> = {
  acme_lidar: 'acme:lidar',
  acme_arm: 'acme:arm',
};

export function textsOf({ modules, rate, cuts, blackouts, fault }: Wanted): Texts {
  const env = rate === undefined ? {} : { env: { RATE: rate } };
  const entries = Object.entries(modules).map(([name, version]) => {
    const entry = { type: 'registry', name, module_id: IDS[name], version };
    return name === 'acme_lidar' ? Object.assign(entry, env) : entry;
  });
  const config = {
    modules: fault === 'malformed' ? 5 : entries,
    ...(cuts && { agent: { 'agent-syscfg': { disable_subsystem: true } } }),
  };
  const policy = {
    ...(blackouts.length > 0 && { blackout: blackouts.map((day) => blackoutOn(day)) }),
    ...(fault === 'local-term' && { registry: 'https://evil.example' }),
  };
  const hasTerms = Object.keys(policy).length > 0;
  return { config: JSON.stringify(config), policy: hasTerms ? JSON.stringify(policy) : undefined };
}

function blackoutOn(from: string): object {
  const to = new Date(Date.parse(from) + 86_400_000).toISOString().slice(0, 10);
  return { from, to, time_zone: 'UTC' };
}

/** What a text of documents means for the machine; undefined if it is to be refused whoever signs it. */
export interface Meaning {
  readonly modules: readonly Readonly<Record<string, unknown>>[];
  /** All fields of the config but its modules, as one text. */
  readonly rest: string;
  readonly blackouts: readonly string[];
  readonly cuts: boolean;
}

export function meaningOf({
  config,
  policy,
}: {
  readonly config: string;
  readonly policy?: string | null | undefined;
}): Meaning | undefined {
  // Casts: this file wrote them.
  const { modules, ...rest } = JSON.parse(config) as { modules: Meaning['modules'] | 5 };
  const { registry, blackout = [] } = JSON.parse(policy ?? '{}') as {
    registry?: string;
    blackout?: readonly { from: string }[];
  };
  if (modules === 5 || registry !== undefined) return undefined;
  return {
    modules,
    rest: JSON.stringify(rest),
    blackouts: blackout.map(({ from }) => from),
    cuts: Object.keys(rest).length > 0,
  };
}

/** Why a machine with a pin must not take `after` in place of `before` where no operator signed it. */
export function needsSignature(
  before: Meaning,
  after: Meaning,
  deployed: ReadonlyMap<string, string>,
): string | undefined {
  if (before.rest !== after.rest) return 'fields of the config';
  for (const { name, ...entry } of after.modules) {
    const was = before.modules.find((one) => one['name'] === name);
    const { version, ...others } = entry;
    const fields = was ? withoutVersion(was) : { type: 'registry', module_id: entry['module_id'] };
    if (JSON.stringify(fields) !== JSON.stringify(others)) return `fields of ${String(name)}`;
    const runs = deployed.get(String(name));
    const isOther = was?.['version'] !== version;
    if (isOther && runs !== undefined && isBelow(String(version), runs))
      return `a lower ${String(name)}`;
  }
  const isLooser = before.blackouts.some((day) => !after.blackouts.includes(day));
  return isLooser ? 'fewer blackouts' : undefined;
}

function withoutVersion({
  name: _name,
  version: _version,
  ...others
}: Meaning['modules'][number]): object {
  return others;
}

/** Whether `1.2.*` ends below what is deployed, such as 1.3.0. `1.*` does not. */
function isBelow(constraint: string, deployed: string): boolean {
  const [, minor = '*'] = constraint.split('.');
  const [, runs] = deployed.split('.');
  return minor !== '*' && Number(minor) < Number(runs);
}
