import {
  expectArgument,
  expectMembers,
  MAP,
  OBJECT,
  TEXT,
  type Expected,
} from '../text/argument.ts';
import type { DecideInput } from '../decision/decision.ts';
import type { Timing, Window } from '../decision/timing-policies.ts';
import type { Eligibility, RefusedVersions } from '../releases/eligibility-policy.ts';
import type { ModuleId } from '../releases/module-id.ts';
import type { AgentConfiguration } from './machine.ts';
import type { Readiness } from './readiness.ts';

export const UPDATE_POLICY: Expected = {
  is: (value) => OBJECT.is(value) && MAP.is(Object(value).modules),
  words: 'the value of readUpdatePolicy()',
};

/** How a site updates its machines: default terms, and terms for single module entries and subsystems. */
export interface UpdatePolicy {
  /** The terms of each module entry and subsystem that `modules` does not list. */
  readonly terms: UpdateTerms;
  /** Complete terms, by the name of the module entry or the subsystem. */
  readonly modules: ReadonlyMap<string, UpdateTerms>;
  /** The group of the machines with this policy, which a rollout may include first; absent if they are in none. */
  readonly group?: string | undefined;
  /** What the machine is tagged with besides its system's tags, for releases that require a tag; absent if nothing. */
  readonly tags?: readonly string[] | undefined;
  /** The versions of what modreg does not manage, by `platform-server`, `platform-agent` or module id; absent if there are none. */
  readonly provides?: ReadonlyMap<string, string> | undefined;
  /** Where modreg's own agent sends its log, by OTLP/HTTP; undefined if nowhere. Other agents need not follow it. */
  readonly logs?:
    | {
        /** The address of a collector, such as `https://collector.example/v1/logs`. */
        readonly endpoint: string;
        /** Headers of each request. In a value, `${environment.NAME}` stands for a variable of the agent. */
        readonly headers: Readonly<Record<string, string>>;
      }
    | undefined;
  /** The fields that this modreg does not know, which hold every replacement; absent if there are none (D240). */
  readonly unknownFields?: AgentConfiguration['unknownFields'];
}

/** The terms of one module entry or subsystem, with defaults filled in. */
export interface UpdateTerms {
  /** The registry's address; undefined if the policy names none. */
  readonly registry: string | undefined;
  /** Hosts that may be contacted without TLS, as `host` or `host:port`. Loopback addresses always may. */
  readonly allowHttp: readonly string[];
  /** The age that a release must have reached before a floating constraint selects it. */
  readonly minimumAge: NonNullable<Eligibility['minimumAge']>;
  /** What the site refuses, by module_id, `*` for all modules; absent if nothing (D94). */
  readonly refuse?: ReadonlyMap<string, NonNullable<Eligibility['refuse']>> | undefined;
  /** The texts of the versions that need no minimum age, by module_id; absent if there are none (D98). */
  readonly ageExempt?: ReadonlyMap<string, readonly string[]> | undefined;
  /**
   * The digest of the trust document whose keys have to sign releases, `sha256:…`, or `unsigned`; absent for `unsigned` with a
   * warning of `check` (D133).
   */
  readonly trust?: string | undefined;
  /** The public keys of npm registries, one of which has to sign a release of `npm:`; absent or empty if none has to (D200). */
  readonly npmKeys?:
    | readonly {
        /** Its name in signatures. */
        readonly keyid: string;
        /** The key of the curve P-256, as SPKI in base64. */
        readonly key: string;
        /** In milliseconds since the epoch: what is published then or later, it may not sign; absent if it does not expire. */
        readonly expires?: number | undefined;
      }[]
    | undefined;
  /** Whether a minimum age counts to this machine's clock; undefined to find out whether it is right (D57). */
  readonly trustClock?: boolean | undefined;
  /** The maintenance windows, combined into one; undefined if restarts may begin at any time. */
  readonly window: Window | undefined;
  /** When restarts may not begin although a window is open; absent if there are none. */
  readonly blackouts?: Timing['blackouts'];
  /** Whether a lower version may replace a deployed one that the constraint does not accept. */
  readonly allowDowngrade: boolean;
  /** What to do if a deployed version was yanked: keep it, or replace it by the best release, even a lower one (D33). */
  readonly onYank: 'keep' | 'replace';
  /** Whether the file of a release needs a sha256 or sha512 digest (D36). */
  readonly requireDigest: boolean;
  /**
   * How long a version that failed is refused, in milliseconds. Undefined: until its digest changes or an operator lifts
   * the quarantine.
   */
  readonly quarantineMs: number | undefined;
  /** The minimum time between two restarts of a module, in milliseconds. */
  readonly restartCooldownMs: number;
  /** The maximum number of restarts of a module in 24 hours. */
  readonly restartCeiling: number;
  /** The maximum age in milliseconds of a saved release list that is used while the registry is unreachable. */
  readonly maxIndexAgeMs: number;
  /** How long overridable vetoes and a busy server may hold replacements, in milliseconds of elapsed time; absent if there is no limit (D79). */
  readonly longestHoldMs?: number | undefined;
  /** Names of the agent's secret environment variables that a module's `env` may read. */
  readonly envAllow: readonly string[];
  /** Whether modreg's own agent downloads a release while only timing holds it; true by default (D78). Other agents need not follow it. */
  readonly prefetch?: boolean | undefined;
  /**
   * How many MiB of its disk modreg's own agent leaves free when it installs; by default the smaller of 256 MiB and a tenth of the
   * disk (T343). Other agents need not follow it.
   */
  readonly diskReserveMib?: number | undefined;
  /** How modreg's own agent runs the module. Times are in milliseconds. Other agents need not follow it. */
  readonly run: {
    /** The program and its arguments, relative to the package; undefined for what the package names itself. */
    readonly command: readonly [string, ...string[]] | undefined;
    /** The user that the module runs as; undefined for the agent's default. */
    readonly runAs: string | undefined;
    /** Whether the module, and all that it starts, never gets more privileges than its user has: `sudo` does not work (D60). */
    readonly noNewPrivs: boolean;
    /** How the module shows that it works; undefined for what the package names itself. */
    readonly ready: Readiness | undefined;
    /** How long a started module may take to be ready. */
    readonly readyMs: number;
    /** How long a new version must stay healthy before it counts as working. */
    readonly probationMs: number;
    /** The time between two probes of a running module. */
    readonly probeMs: number;
    /** How long a module may take to end after SIGTERM; undefined for what the package names itself, else ten seconds. */
    readonly stopMs: number | undefined;
    /** Where the module says whether it may be stopped; undefined for what the package names itself (D77). */
    readonly restartStatus?: string | undefined;
    /** Whether it may be stopped if it does not say. */
    readonly onUnclearStatus?: 'allow' | 'hold' | undefined;
    /** Of `platform-agent`: whether the agent installs its own releases. */
    readonly selfUpdate: boolean;
  };
}

/** A public key of an npm registry. */
export type NpmKey = NonNullable<UpdateTerms['npmKeys']>[number];

/** What a policy says in place of a digest if releases need no signatures. */
export const UNSIGNED = 'unsigned';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const DEFAULT_RUN: UpdateTerms['run'] = {
  command: undefined,
  runAs: undefined,
  noNewPrivs: false,
  ready: undefined,
  readyMs: MINUTE,
  probationMs: 30 * SECOND,
  probeMs: 5 * SECOND,
  stopMs: undefined,
  selfUpdate: true,
};

export const DEFAULT_TERMS: UpdateTerms = {
  registry: undefined,
  allowHttp: [],
  minimumAge: { ms: 0, unknown: 'refuse' },
  window: undefined,
  allowDowngrade: true,
  onYank: 'keep',
  requireDigest: true,
  quarantineMs: undefined,
  restartCooldownMs: 5 * MINUTE,
  restartCeiling: 12,
  maxIndexAgeMs: 7 * DAY,
  envAllow: [],
  run: DEFAULT_RUN,
};

/** The policy of a site without a policy document: modules update at any time, and releases need no minimum age. */
export const DEFAULT_POLICY: UpdatePolicy = { terms: DEFAULT_TERMS, modules: new Map() };

const POLICY = { terms: OBJECT, modules: MAP };

/**
 * The terms of the module entry or subsystem `name`: its own if the policy lists it, else the default terms.
 *
 * @example
 * ```ts
 * import { readUpdatePolicy, termsFor } from 'modreg/config';
 *
 * const policy = readUpdatePolicy('{ "modules": { "acme_lidar": { "minimum_release_age": "14d" } } }');
 * if (policy.ok) console.log(termsFor(policy.value, 'acme_lidar').minimumAge.ms); // 1209600000
 * ```
 */
export function termsFor(policy: UpdatePolicy, name: string): UpdateTerms {
  expectMembers('termsFor()', 'policy', policy, POLICY);
  expectArgument('termsFor()', 'name', name, TEXT);
  return termsIn(policy, name);
}

/** The same for a policy of this package: a plan asks for each module. */
export function termsIn(policy: UpdatePolicy, name: string): UpdateTerms {
  return policy.modules.get(name) ?? policy.terms;
}

/**
 * The terms of the releases of a module, for a decision in these circumstances. A minimum age of zero is none, unless a step
 * needs another one.
 */
export function releaseTerms(
  { minimumAge, requireDigest, allowHttp, refuse, ageExempt }: UpdateTerms,
  moduleId: ModuleId | undefined,
  circumstances: Omit<DecideInput['eligibility'], 'minimumAge' | 'artifactRules' | 'refuse'>,
): DecideInput['eligibility'] {
  const exempt = moduleId && ageExempt?.get(moduleId);
  return {
    ...circumstances,
    minimumAge: hasMinimumAge(minimumAge)
      ? { ...minimumAge, ...(exempt && { exempt }) }
      : undefined,
    artifactRules: { requireDigest, allowHttp },
    refuse: moduleId && refuse && refusedOf(moduleId, refuse),
  };
}

/** Whether `text` is the digest of a trust document. */
export function isPin(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

/** The digest of the trust document that the terms name; undefined if they name none. */
export function pinIn({ trust }: Pick<UpdateTerms, 'trust'>): string | undefined {
  return trust === UNSIGNED ? undefined : trust;
}

/** The keys of which one has to sign the releases of the npm registry that the terms name; undefined if none has to (D200). */
export function npmKeysIn({
  registry,
  npmKeys = [],
}: Pick<UpdateTerms, 'registry' | 'npmKeys'>): readonly NpmKey[] | undefined {
  return npmKeys.length > 0 && registry?.startsWith('npm:') ? npmKeys : undefined;
}

/** Whether some release may need an age. */
export function hasMinimumAge({ ms, byStep }: UpdateTerms['minimumAge']): boolean {
  return ms > 0 || (byStep !== undefined && Math.max(...Object.values(byStep)) > 0);
}

/** What is said of the module comes before what is said of all; undefined if nothing is. */
function refusedOf(
  moduleId: ModuleId,
  refuse: NonNullable<UpdateTerms['refuse']>,
): readonly RefusedVersions[] | undefined {
  const [own, all] = [refuse.get(moduleId), refuse.get('*')];
  return own && all ? [...own, ...all] : (own ?? all);
}
