import { compareVersions, parseConstraint, parseModuleId, type Version } from '../../core/index.ts';
import { pinIn, termsIn, type UpdatePolicy } from '../../core/machine/update-policy.ts';
import { roleOf, type Roles } from '../../core/trust/role.ts';
import type { ServedRefusal } from '../../core/trust/served-config.ts';
import { quote } from '../../core/text/quote.ts';
import { mismatch, type Constraint } from '../../core/version/constraint.ts';
import { differing, isObject, isSame, keysOf, objectAt, type JsonObject } from './json.ts';
import { entriesOf, leastOf, type KnownVersions } from './least-versions.ts';
import type { Documents } from './merged.ts';
import { ruleOf } from './term-rules.ts';
import { loosened, type Scope } from './tightened.ts';

/** Documents that were read, and the values of JSON that they have. */
export interface InForce extends Documents {
  readonly terms: UpdatePolicy;
}

/** What limits a site whose document operators did not sign. */
export interface UnsignedLimits extends KnownVersions {
  /** Of the trust document that the machine's own policy names. */
  readonly roles: Pick<Roles, 'namespaces'>;
  /** What its policy names that document by. */
  readonly pin: string;
}

type Found = ServedRefusal | undefined;

/** What a site may not change without the signatures of operators; undefined if it changes nothing of that (D262). */
export function unsignedChange(before: InForce, after: InForce, limits: UnsignedLimits): Found {
  const field = differing(before.config, after.config).find(
    (key) => key !== 'modules' && key !== '$schema',
  );
  if (field !== undefined) return needsSignature(`/config/${field}`);
  const [old, now] = [entriesIn(before.config), entriesIn(after.config)];
  for (const name of keysOf(old, now)) {
    const [was, is] = [old[name], now[name]];
    const found = isObject(was) && isObject(is) ? changedEntry(name, was, is) : undefined;
    const one = isObject(was) ? was : objectAt(now, name);
    const isMoved = isObject(was) !== isObject(is);
    const refused = isMoved
      ? movedEntry(name, one, { isAdded: isObject(is), after }, limits)
      : found;
    const lower =
      isObject(is) && !isSame(was, is) ? fallen(name, is, before.config, limits) : undefined;
    if (refused ?? lower) return refused ?? lower;
  }
  return changedTerms(before, after);
}

function entriesIn(config: JsonObject): JsonObject {
  return Object.fromEntries(entriesOf(config).map((entry) => [String(entry['name']), entry]));
}

function changedEntry(name: string, was: JsonObject, is: JsonObject): Found {
  const other = differing(was, is).find((key) => key !== 'version' || is['type'] !== 'registry');
  return other === undefined ? undefined : needsSignature(`/config/modules/${name}/${other}`);
}

/** A new or changed entry that may select less than what is or was deployed of its module. */
function fallen(name: string, is: JsonObject, before: JsonObject, limits: UnsignedLimits): Found {
  const constraint = parseConstraint(is['version']);
  const least = leastOf(is['module_id'], before, limits);
  if (!constraint.ok || !least || !mayFall(constraint.value, least.version)) return undefined;
  const which = least.isDeployed ? 'deployed' : 'formerly deployed';
  const found = `/config/modules/${name}/version is ${quote(String(is['version']))}`;
  const detail = `${found}, which may select less than the ${which} ${least.version.text}`;
  return { code: 'below-deployed', detail };
}

/** Whether a constraint that does not accept the deployed version may select a lower one. */
function mayFall(constraint: Constraint, deployed: Version): boolean {
  if (mismatch(constraint, deployed) === undefined) return false;
  if (constraint.kind === 'patch') return compareVersions(constraint.version, deployed) < 0;
  if (constraint.kind !== 'minor' && constraint.kind !== 'major') return true;
  const { major, minor } = { minor: Infinity, ...constraint };
  if (major !== deployed.major) return major < deployed.major;
  // The deployed one is a prerelease of the branch, or of another one of this major number.
  return minor <= deployed.minor || constraint.kind === 'major';
}

const REGISTRY_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'module_id', 'version']);

/** An entry that is added or removed. */
function movedEntry(
  name: string,
  entry: JsonObject,
  { isAdded, after }: { readonly isAdded: boolean; readonly after: InForce },
  { roles, pin }: UnsignedLimits,
): Found {
  const path = `/config/modules/${name}`;
  if (entry['type'] !== 'registry') return needsSignature(path);
  const field = Object.keys(entry).find((key) => !REGISTRY_FIELDS.has(key));
  // The terms under its name, such as a command and a user, were meant for another module.
  const own = Object.keys(objectAt(objectAt(after.policy, 'modules'), name));
  if (isAdded && own.some((term) => ruleOf(term) !== 'tighten')) return needsSignature(path);
  if (isAdded && field !== undefined) return needsSignature(`${path}/${field}`);
  const id = parseModuleId(entry['module_id']);
  if (!id.ok || !roleOf(roles, id.value)) return needsSignature(`${path}/module_id`);
  // A policy may free single entries of signatures, by their names.
  return pinIn(termsIn(after.terms, name)) === pin ? undefined : needsSignature(path);
}

function changedTerms(before: InForce, after: InForce): Found {
  const scopes: [string | undefined, JsonObject, JsonObject][] = [
    [undefined, before.policy, after.policy],
  ];
  const [old, now] = [objectAt(before.policy, 'modules'), objectAt(after.policy, 'modules')];
  for (const name of keysOf(old, now))
    scopes.push([name, objectAt(old, name), objectAt(now, name)]);
  for (const [name, was, is] of scopes) {
    const path = name === undefined ? '/policy' : `/policy/modules/${name}`;
    const term = differing(was, is).find((one) => isForOperators(one, name));
    if (term !== undefined) return needsSignature(`${path}/${term}`);
    const looser = loosened(scopeOf(before, name), scopeOf(after, name));
    if (looser === undefined) continue;
    const detail = `${path}/${looser} allows more than before, and without a signature the site may only tighten it`;
    return { code: 'loosens', detail };
  }
  return undefined;
}

function isForOperators(term: string, name: string | undefined): boolean {
  if (name === undefined && (term === 'modules' || term === '$schema')) return false;
  return ruleOf(term) !== 'tighten';
}

function scopeOf({ policy, terms }: InForce, name: string | undefined): Scope {
  const own = name === undefined ? {} : objectAt(objectAt(policy, 'modules'), name);
  const { minimumAge } = name === undefined ? terms.terms : termsIn(terms, name);
  const { maintenance, blackout } = { ...policy, ...own };
  return { age: minimumAge, maintenance, blackout };
}

function needsSignature(path: string): ServedRefusal {
  return {
    code: 'needs-signature',
    detail: `${path} may change only with the signatures of operators`,
  };
}
