import type { Context, Hono } from 'hono';
import { parseVersion, type ModuleId } from '../../core/index.ts';
import { namespaceOf } from '../../core/releases/module-id.ts';
import { ROLLOUT_POLICY } from '../../core/rollout/rollout-policy.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { scopeRefusal, tokenOf } from './bearer.ts';
import type { Caller } from './caller.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { answeringToken, type Answer } from './guarded.ts';
import { jsonBody } from './json-body.ts';
import type { CatalogueChange } from '../catalogue/catalogue-change.ts';
import { isRefused } from '../catalogue/release-table.ts';
import { describeLaterPlatforms } from '../catalogue/later-platforms.ts';
import { limitWarnings } from '../catalogue/list-limits.ts';
import type { WriteChange } from '../catalogue/write-change.ts';
import { rollingRelease } from '../catalogue/rollout-start.ts';
import { describeOtherSoak } from '../rollout/rollout-change.ts';
import { emptyFirst, type FirstStepInSlices } from '../rollout/first-step.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import { DEPRECATION, RELEASES, UPLOAD, withModule, YANK } from './module-route.ts';
import { hasLaterField, olderMachines } from '../fleet/older-machines.ts';
import { problem } from '../problem.ts';
import { readReason, reasonBody, yankBody } from '../catalogue/published-reason.ts';
import { readRelease, type PublishedRelease } from '../catalogue/published-release.ts';
import type { ReadOptions } from './read-routes.ts';
import type { RegistryOptions } from '../registry-options.ts';
import { missingScope } from '../tokens/scope.ts';
import { uploadAnswer } from './upload-route.ts';
import { uploadSlots } from '../limits/upload-slots.ts';

/** How far a claimed publish time may be from the registry's clock. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** How changes are made. */
interface Writing {
  readonly write: WriteChange;
  readonly firstStep: FirstStepInSlices;
  /** What machines reported. */
  readonly fleet: Pick<FleetFile, 'read'>;
  readonly staged?: RegistryOptions['staged'];
}

type Writer = Caller & Writing;

type Handle = (c: Context, caller: Writer) => Answer | Promise<Answer>;

/** Adds the routes that need a token. `log` is called after each change, and after each request that was refused or failed. */
export function addWriteRoutes(
  app: Hono,
  catalogue: Catalogue,
  {
    clock,
    log,
    limits,
    refused,
    write,
    firstStep,
    fleet,
    staged,
  }: RegistryOptions & Pick<ReadOptions, 'refused'> & Writing,
): void {
  const slots = uploadSlots({ limits, refused });
  const guarded = (handle: Handle): ((c: Context) => Promise<Response>) =>
    answeringToken(tokenOf, { catalogue, clock, log }, (c, caller) =>
      handle(c, { ...caller, write, firstStep, fleet, staged }),
    );
  app.post(RELEASES, guarded(publishAnswer));
  app.put(
    UPLOAD,
    guarded(async (c, caller) => await uploadAnswer(c, caller, slots)),
  );
  for (const [address, mark] of [
    [YANK, 'yank'],
    [DEPRECATION, 'deprecate'],
  ] as const) {
    app.put(
      address,
      guarded(async (c, caller) => await putMarkAnswer(c, caller, mark)),
    );
    app.delete(
      address,
      guarded(async (c, caller) => await deleteMarkAnswer(c, caller, mark)),
    );
  }
}

async function publishAnswer(c: Context, caller: Writer): Promise<Answer> {
  return await withModule(c, async (moduleId) => {
    const refusal = scopeRefusal(caller.token, 'publish', namespaceOf(moduleId));
    if (refusal) return refusal;
    const read = await jsonBody(c, readRelease);
    if (!read.ok) return read.error;
    const isNew = caller.catalogue.isYanked(moduleId, read.value.version) === undefined;
    const isForAll = !isNew || c.req.query('all_at_once') === 'true';
    const release = isForAll ? read.value : withDefaultRollout(read.value, moduleId, caller);
    const { rollout } = release;
    const empty = isNew ? emptyFirst(caller.fleet, rollout?.first) : undefined;
    if (empty !== undefined) return problem('rollout-conflict', empty);
    const older = olderMachinesFor(moduleId, release, caller);
    if (older !== undefined && c.req.query('force') !== 'true') {
      return problem('older-machines', `${older}; upgrade them first, or publish with force=true`);
    }
    const start =
      rollout && (await caller.firstStep(moduleId, rollingRelease(release), caller.now));
    const isStaged = rollout !== read.value.rollout;
    return await published(c, caller, { moduleId, release, start, isStaged });
  });
}

/** A new release of a namespace that is staged begins a rollout; not one that is yanked, or was published earlier elsewhere (D220). */
function withDefaultRollout(
  release: PublishedRelease,
  moduleId: ModuleId,
  { staged = [], now }: Writer,
): PublishedRelease {
  const { rollout, yanked, publishedAt = now } = release;
  const isStaged = staged.includes('*') || staged.includes(namespaceOf(moduleId));
  const isImported = Math.abs(publishedAt - now) > CLOCK_TOLERANCE_MS;
  if (!isStaged || rollout || yanked !== undefined || isImported) return release;
  return { ...release, rollout: { soakMs: ROLLOUT_POLICY.soakMs } };
}

/** Publishing a release again changes nothing (D93). */
function olderMachinesFor(
  moduleId: ModuleId,
  release: PublishedRelease,
  { catalogue, fleet }: Writer,
): string | undefined {
  const isNew = catalogue.isYanked(moduleId, release.version) === undefined;
  if (!isNew || !hasLaterField(release)) return undefined;
  return fleet.read((sql) => olderMachines(sql, moduleId, release));
}

/**
 * Why the claimed publish time is refused; undefined if it is not. A time in the past would evade a minimum age, so it
 * takes a token that may import the releases of another registry (D34).
 */
function publishTimeError(
  { publishedAt }: PublishedRelease,
  moduleId: ModuleId,
  { token, now }: Caller,
): string | undefined {
  if (publishedAt === undefined || Math.abs(publishedAt - now) <= CLOCK_TOLERANCE_MS) {
    return undefined;
  }
  const scope = missingScope(token.scopes, 'import', namespaceOf(moduleId));
  if (scope === undefined) return undefined;
  const [claimed, clock] = [formatTime(publishedAt), formatTime(now)];
  return `/published_at: ${claimed} is more than five minutes from the registry's clock, ${clock}, and the token does not have the scope ${scope}`;
}

type NewRelease = Pick<CatalogueChange<'publish'>, 'moduleId' | 'release' | 'start'> & {
  /** The registry begins its rollout by default. */
  readonly isStaged: boolean;
};

async function published(
  c: Context,
  caller: Writer,
  { moduleId, release, start, isStaged }: NewRelease,
): Promise<Answer> {
  const { catalogue, token, now, changed, write } = caller;
  const { version, yanked } = release;
  const isYanked = catalogue.isYanked(moduleId, version);
  // To publish an existing release as yanked is to yank it (T98).
  const refusal =
    yanked !== undefined &&
    isYanked === false &&
    scopeRefusal(token, 'yank', namespaceOf(moduleId));
  if (refusal) return refusal;
  const error = publishTimeError(release, moduleId, caller);
  // Publishing a release again changes nothing, so it may have an old time.
  if (error !== undefined && isYanked === undefined) {
    return problem('bad-release', error, { errors: [error] });
  }
  const result = await write({ kind: 'publish', moduleId, release, start, now });
  if (result === 'other-soak') {
    return problem('rollout-conflict', describeOtherSoak(catalogue.rollouts, moduleId, release));
  }
  if (result === 'unsigned') {
    const fault = `/signatures: ${catalogue.trust.fault(moduleId, release) ?? 'send it again'}`;
    return problem('bad-release', fault, { errors: [fault] });
  }
  if (isRefused(result)) return refusedPublication(result, moduleId, release, catalogue);
  if (result !== 'unchanged') changed({ kind: result, moduleId, version });
  const warnings = limitWarnings(catalogue, moduleId).map(({ kind, message }) => {
    return { type: `urn:modreg:${kind}`, detail: message };
  });
  const rollout = result === 'published' && isStaged ? { rollout: 'started' } : {};
  const body = { module_id: moduleId, version, result, ...rollout };
  return c.json(
    warnings.length === 0 ? body : { ...body, warnings },
    result === 'published' ? 201 : 200,
  );
}

function refusedPublication(
  result: 'other-content' | 'without-rollout' | 'missing-file',
  moduleId: ModuleId,
  release: PublishedRelease,
  catalogue: Pick<Catalogue, 'rollouts'>,
): Response {
  const { version } = release;
  if (result === 'missing-file') return missingFileAnswer(moduleId, version);
  if (result === 'without-rollout') {
    const next = 'yank it, and start its rollout';
    return problem(
      result,
      `${moduleId} ${version} is already published without a rollout, and machines may have it: ${next}`,
    );
  }
  const next = 'it cannot change; yank it and publish another version';
  const later = describeLaterPlatforms(catalogue, moduleId, release);
  const found = `${moduleId} ${version} is already published with different content or publish time`;
  const detail = later === undefined ? `${found}: ${next}` : `${later}: ${next} for all of them`;
  return problem('already-published', detail);
}

function missingFileAnswer(moduleId: ModuleId, version: string): Response {
  const error = `/artifacts: ${moduleId} ${version} has a file that the registry does not host: upload it first`;
  return problem('bad-release', error, { errors: [error] });
}

/** What a token with the scope yank may say of a published release, and take back (D7, D96). */
type Mark = 'yank' | 'deprecate';

/** The events of a mark, by whether it is set, and its field in the answer. */
const MARKS = {
  yank: { field: 'yanked', set: 'yanked', reverted: 'unyanked' },
  deprecate: { field: 'deprecated', set: 'deprecated', reverted: 'undeprecated' },
} as const;

async function putMarkAnswer(c: Context, caller: Writer, mark: Mark): Promise<Answer> {
  return await withRelease(c, caller, async (moduleId, version) => {
    const form = mark === 'yank' ? yankBody : reasonBody;
    const body = await jsonBody(c, (json) => readReason(json, form), { reason: '' });
    if (!body.ok) return body.error;
    const { catalogue } = caller;
    const fault = catalogue.trust.yankFault(moduleId, { ...body.value, version });
    if (fault !== undefined) {
      return problem('bad-release', `/signatures: ${fault}`, { errors: [`/signatures: ${fault}`] });
    }
    return await markAnswer(c, caller, { kind: mark, moduleId, version, ...body.value });
  });
}

async function deleteMarkAnswer(c: Context, caller: Writer, mark: Mark): Promise<Answer> {
  return await withRelease(
    c,
    caller,
    async (moduleId, version) =>
      await markAnswer(c, caller, { kind: mark, moduleId, version, reason: null }),
  );
}

/** The answer of `answer` for the release in the address, if the token may yank it. */
async function withRelease(
  c: Context,
  { token }: Caller,
  answer: (moduleId: ModuleId, version: string) => Answer | Promise<Answer>,
): Promise<Answer> {
  return await withModule(c, async (moduleId) => {
    const refusal = scopeRefusal(token, 'yank', namespaceOf(moduleId));
    if (refusal) return refusal;
    const version = parseVersion(c.req.param('version'));
    if (!version.ok) return problem('bad-request', version.error.message);
    return await answer(moduleId, version.value.text);
  });
}

async function markAnswer(
  c: Context,
  { changed, now, write }: Writer,
  change: Omit<CatalogueChange<Mark>, 'now'>,
): Promise<Response> {
  const { kind, moduleId, version, reason } = change;
  const { field, set, reverted } = MARKS[kind];
  const result = await write({ ...change, now });
  switch (result) {
    case 'unknown-module':
      return problem(result, `nothing was ever published for ${moduleId}`);
    case 'unknown-version':
      return problem(result, `${moduleId} has no version ${version}`);
    case 'done':
      changed({ kind: reason === null ? reverted : set, moduleId, version });
      break;
    case 'unchanged':
  }
  return c.json({ module_id: moduleId, version, [field]: reason });
}
