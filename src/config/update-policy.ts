import * as v from 'valibot';
import { MOST_WINDOWS } from '../core/machine/document-limits.ts';
import { GROUP_FORM, GROUP_PATTERN, isGroup } from '../core/rollout/group.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { quote } from '../core/text/quote.ts';
import { parseRegistryAddress } from '../registry/address.ts';
import {
  DEFAULT_TERMS,
  isPin,
  UNSIGNED,
  type UpdatePolicy,
  type UpdateTerms,
} from '../core/machine/update-policy.ts';
import { blackouts } from './fields/blackout.ts';
import { duration, DURATION_PATTERN, readDuration } from './fields/duration.ts';
import { exemptByModule, refusedByModule } from './fields/refused-versions.ts';
import { variableName } from './fields/environment-reference.ts';
import { badValue } from './fault.ts';
import {
  fields,
  editorFields,
  flag,
  listOf,
  mapOf,
  oneOf,
  parsedText,
  reading,
  wholeNumber,
  type Schema,
} from './fields/fields.ts';
import type { Checked, CheckContext } from './check-context.ts';
import { maintenanceWindow } from './fields/maintenance-window.ts';
import {
  command,
  durationFromOneSecond,
  readiness,
  restartStatus,
  userName,
} from './fields/run-terms.ts';
import { requirable, tag, version } from './fields/requirement.ts';
import { compileWindows } from './window.ts';
import { npmKeys } from './fields/npm-keys.ts';
import { logTerms } from './fields/log-terms.ts';
import { name } from './fields/name.ts';
import { headerFindings } from './cross-checks/module-variables.ts';
import { fieldFindings } from './cross-checks/other-document.ts';
import { unsignedReleases } from './cross-checks/unsigned-releases.ts';
import { idleBlackouts } from './cross-checks/idle-blackouts.ts';
import { idleTrust } from './cross-checks/idle-trust.ts';
import { policyOutline } from './cross-checks/outline.ts';
import { exposedAddress } from './cross-checks/pins.ts';
import { refusedFields, withUnknown } from './refused-fields.ts';
import { applySchema } from './schema-findings.ts';

/** The value of `quarantine` for one that does not expire. */
const UNTIL_LIFTED = 'until-lifted';
const LARGEST_CEILING = 1440;
const LARGEST_RESERVE_MIB = 1_048_576;

const registry: Schema<string> = parsedText(
  'the address of a registry',
  (text) => {
    const address = parseRegistryAddress(text);
    if (address.ok) return { ok: true, value: text };
    const message = `not the address of a registry: ${address.error}`;
    return { ok: false, error: { kind: 'bad-address', message } };
  },
  { minLength: 1 },
);

const host: Schema<string> = parsedText(
  'a host',
  (text) => {
    const url = `http://${text}/`;
    if (/^[^\s/?#@\\*]+$/.test(text) && URL.canParse(url)) return { ok: true, value: text };
    return {
      ok: false,
      error: badValue(
        'not a host, expected a name or an IP address (IPv6 in [brackets]), followed by :port if needed',
      ),
    };
  },
  { minLength: 1 },
);

/** Milliseconds; undefined for a quarantine that does not expire. */
const quarantine: Schema<number | undefined> = parsedText<number | undefined>(
  `a duration or ${UNTIL_LIFTED}`,
  (text) => {
    if (text === UNTIL_LIFTED) return { ok: true, value: undefined };
    const ms = readDuration(text);
    if (ms.ok) return ms;
    const message = `${quote(text)} is neither ${UNTIL_LIFTED} nor a duration such as 14d`;
    return { ok: false, error: badValue(message, nearestWord(text, [UNTIL_LIFTED])) };
  },
  { pattern: `${DURATION_PATTERN}|^${UNTIL_LIFTED}$` },
);

/** The digest of a trust document, or that there is none. */
const trust: Schema<string> = parsedText(
  'the digest of a trust document or unsigned',
  (text) => {
    if (text === UNSIGNED || isPin(text)) return { ok: true, value: text };
    const message = `${quote(text)} is neither ${UNSIGNED} nor sha256: and 64 hexadecimal digits`;
    return { ok: false, error: badValue(message, nearestWord(text, [UNSIGNED])) };
  },
  { pattern: `^sha256:[0-9a-f]{64}$|^${UNSIGNED}$` },
);

const ageByStep = fields({
  major: v.optional(duration),
  minor: v.optional(duration),
  patch: v.optional(duration),
});

const terms = {
  registry: v.optional(registry),
  allow_http: v.optional(listOf(host, 'a list of hosts')),
  minimum_release_age: v.optional(duration),
  unknown_release_age: v.optional(oneOf(['refuse', 'allow'])),
  minimum_release_age_by_step: v.optional(ageByStep),
  age_after_yank: v.optional(duration),
  trust: v.optional(trust),
  npm_keys: v.optional(npmKeys),
  trust_clock: v.optional(flag()),
  maintenance: v.optional(listOf(maintenanceWindow, 'a list of windows')),
  blackout: v.optional(blackouts),
  allow_downgrade: v.optional(flag()),
  on_yank: v.optional(oneOf(['keep', 'replace'])),
  require_digest: v.optional(flag()),
  quarantine: v.optional(quarantine),
  restart_cooldown: v.optional(duration),
  restart_ceiling: v.optional(wholeNumber(1, LARGEST_CEILING)),
  longest_hold: v.optional(durationFromOneSecond),
  max_index_age: v.optional(duration),
  env_allow: v.optional(listOf(variableName, 'a list of environment variables')),
  command: v.optional(command),
  run_as: v.optional(userName),
  no_new_privs: v.optional(flag()),
  ready: v.optional(readiness),
  ready_timeout: v.optional(durationFromOneSecond),
  probation: v.optional(duration),
  probe_interval: v.optional(durationFromOneSecond),
  stop_timeout: v.optional(duration),
  restart_status: v.optional(restartStatus),
  restart_status_unclear: v.optional(oneOf(['allow', 'hold'])),
  prefetch: v.optional(flag()),
  disk_reserve_mib: v.optional(wholeNumber(0, LARGEST_RESERVE_MIB)),
  self_update: v.optional(flag()),
};
const moduleTerms = fields(terms);

const group: Schema<string> = parsedText(
  'a group',
  (text) =>
    isGroup(text)
      ? { ok: true, value: text }
      : { ok: false, error: badValue(`${quote(text)} is not ${GROUP_FORM}`) },
  { pattern: GROUP_PATTERN },
);

/** The update policy: general terms, and under `modules` the terms that differ for one module. */
export const updatePolicy: Schema<UpdatePolicy> = v.pipe(
  fields({
    ...editorFields,
    ...terms,
    group: v.optional(group),
    refuse: v.optional(refusedByModule),
    age_exempt: v.optional(exemptByModule),
    logs: v.optional(logTerms),
    tags: v.optional(listOf(tag, 'a list of tags')),
    provides: v.optional(mapOf(requirable, version)),
    modules: v.optional(mapOf(name, moduleTerms), {}),
  }),
  reading(({ modules, refuse, age_exempt: ageExempt, $schema: _editors, ...others }) => {
    const { logs, group: named, tags, provides, ...all } = others;
    const windows = [all, ...Object.values(modules)].flatMap(
      ({ maintenance }) => maintenance ?? [],
    );
    if (windows.length > MOST_WINDOWS) {
      const message = `found ${windows.length} maintenance windows, expected at most ${MOST_WINDOWS} in a policy`;
      return { ok: false, error: { kind: 'out-of-range', message } };
    }
    // By module_id (D94, D98).
    const ofModules = { ...(refuse && { refuse }), ...(ageExempt && { ageExempt }) };
    const general = withTerms({ ...DEFAULT_TERMS, ...ofModules }, all);
    const perModule = Object.entries(modules).map(
      ([entry, differing]) => [entry, withTerms(general, differing)] as const,
    );
    const provided = provides && new Map(Object.entries(provides));
    const machineWide = { group: named, tags, provides: provided, logs };
    return { ok: true, value: { terms: general, modules: new Map(perModule), ...machineWide } };
  }),
);

/** `base`, overridden by the terms that a part of the policy sets. */
function withTerms(base: UpdateTerms, own: v.InferOutput<typeof moduleTerms>): UpdateTerms {
  return {
    registry: own.registry ?? base.registry,
    allowHttp: own.allow_http ?? base.allowHttp,
    minimumAge: minimumAge(base.minimumAge, own),
    ...(base.refuse && { refuse: base.refuse }),
    ...(base.ageExempt && { ageExempt: base.ageExempt }),
    trust: own.trust ?? base.trust,
    npmKeys: own.npm_keys ?? base.npmKeys,
    trustClock: own.trust_clock ?? base.trustClock,
    window: own.maintenance ? compileWindows(own.maintenance) : base.window,
    blackouts: own.blackout ?? base.blackouts,
    allowDowngrade: own.allow_downgrade ?? base.allowDowngrade,
    onYank: own.on_yank ?? base.onYank,
    requireDigest: own.require_digest ?? base.requireDigest,
    quarantineMs: 'quarantine' in own ? own.quarantine : base.quarantineMs,
    restartCooldownMs: own.restart_cooldown ?? base.restartCooldownMs,
    restartCeiling: own.restart_ceiling ?? base.restartCeiling,
    longestHoldMs: own.longest_hold ?? base.longestHoldMs,
    maxIndexAgeMs: own.max_index_age ?? base.maxIndexAgeMs,
    envAllow: own.env_allow ?? base.envAllow,
    prefetch: own.prefetch ?? base.prefetch,
    diskReserveMib: own.disk_reserve_mib ?? base.diskReserveMib,
    run: {
      command: own.command ?? base.run.command,
      runAs: own.run_as ?? base.run.runAs,
      noNewPrivs: own.no_new_privs ?? base.run.noNewPrivs,
      ready: own.ready ?? base.run.ready,
      readyMs: own.ready_timeout ?? base.run.readyMs,
      probationMs: own.probation ?? base.run.probationMs,
      probeMs: own.probe_interval ?? base.run.probeMs,
      stopMs: own.stop_timeout ?? base.run.stopMs,
      restartStatus: own.restart_status ?? base.run.restartStatus,
      onUnclearStatus: own.restart_status_unclear ?? base.run.onUnclearStatus,
      selfUpdate: own.self_update ?? base.run.selfUpdate,
    },
  };
}

/** An age of its own replaces those by step of `base`, and a step that is not given has the age of all (D97). */
function minimumAge(
  base: UpdateTerms['minimumAge'],
  own: v.InferOutput<typeof moduleTerms>,
): UpdateTerms['minimumAge'] {
  const {
    minimum_release_age: age,
    minimum_release_age_by_step: steps,
    age_after_yank: afterYank = base.afterYank,
  } = own;
  const ms = age ?? base.ms;
  const { major = ms, minor = ms, patch = ms } = steps ?? {};
  const given = steps && { major, minor, patch };
  const byStep = given ?? (age === undefined ? base.byStep : undefined);
  return {
    ms,
    unknown: own.unknown_release_age ?? base.unknown,
    ...(byStep && { byStep }),
    ...(afterYank !== undefined && { afterYank }),
  };
}

/** Reads and checks an update policy. */
export function checkPolicy(value: unknown, context: CheckContext): Checked<UpdatePolicy> {
  const { now } = context;
  const { output, findings } = applySchema(updatePolicy, value);
  const found = fieldFindings('policy', updatePolicy, value, context);
  const { unknownFields, ...refused } = refusedFields('policy', value, found, context);
  const outline = v.parse(policyOutline, value);
  const modules = Object.entries(outline.modules);
  return {
    output: output && withUnknown(output, unknownFields),
    findings: [
      ...findings,
      ...refused.findings,
      ...(output ? headerFindings(output) : []),
      ...(output && now !== undefined ? idleBlackouts(output, now) : []),
      ...(output && now !== undefined ? unsignedReleases(output) : []),
      ...(output && now !== undefined ? idleTrust(output) : []),
      ...exposedAddress(outline.registry, ['registry'], outline.allow_http),
      ...exposedAddress(outline.logs.endpoint, ['logs', 'endpoint'], outline.allow_http),
      ...modules.flatMap(([module, { registry: address, allow_http }]) => {
        if (address === '' && !allow_http) return [];
        const path = ['modules', module, address === '' ? 'allow_http' : 'registry'];
        const effective = address || outline.registry;
        return exposedAddress(effective, path, allow_http ?? outline.allow_http);
      }),
    ],
    modules: modules.length,
  };
}
