import { isAddress } from '../support/plan-judge.ts';
import { noteFailed, noteRunning } from './deployed.ts';
import type { JudgeContext } from './judge-context.ts';
import { fileOf, keyOf, knownOf, type OpenAction, type SeenAction, type Target } from './ledger.ts';
import { isBlamed, type SeenEntry, type SeenQuarantine } from './seen-quarantine.ts';
import { endFailedRestart, endRequest } from './requests.ts';
import { described, type Report } from './reports.ts';

export interface SeenFailure {
  readonly version: string;
  readonly running: string | null | undefined;
  readonly reason: string;
  readonly blame?: 'release' | 'undecided' | undefined;
  /** When the resulting quarantine ends. */
  readonly until: number | undefined;
}

export interface SeenOutcome {
  readonly running: string | null | undefined;
  /** Undefined if the action is done. */
  readonly blame: 'release' | 'machine' | 'undecided' | undefined;
  readonly reason?: string;
  /** When the resulting quarantine ends. */
  readonly until: number | undefined;
}

/** An outcome of an action is recorded. */
export function acknowledge(
  context: JudgeContext,
  id: string,
  outcome: SeenOutcome,
  isRecorded: boolean,
): void {
  const { ledger, moment, complain } = context;
  const report = heardReport(context, id, outcome);
  const action = ledger.committed.get(id);
  if (!report || !action) {
    if (!action) complain('I8', `${id} was acknowledged, and never committed`);
    return;
  }
  const open: OpenAction | undefined = ledger.open.get(id);
  if (!isRecorded) {
    if (open?.state === 'delivered') complain('I8', `${described(report)} is lost`);
    return;
  }
  const { running, blame } = report;
  const isDone = blame === undefined;
  const { until } = outcome;
  ledger.held.delete(id);
  // A late acknowledgement of a withdrawn action still reports the deployed version.
  if (!open && knownOf(ledger, action.target).running !== undefined) return;
  const { target, to, digest } = action;
  const isRestart = action.direction === 'restart';
  // An address is never in quarantine, nor a version because it could not be restarted. (D41)
  const hasFailed = blame === 'release' || blame === 'undecided';
  const isFailure = hasFailed && !isAddress(to) && !isRestart;
  // What is started again and again has not failed more than the other. (D80)
  const isKept = blame === 'undecided' && running === to;
  // A restart of a local module changes no version. (D344)
  if (!isRestart || to !== 'local') {
    noteRunning(ledger, target, isDone ? to : running, isFailure && !isKept ? to : undefined);
  }
  if (blame !== 'machine') {
    endRequest(ledger, target, isRestart && hasFailed ? report.reason : undefined);
    if (!isRestart) ledger.wishes.delete(keyOf(target));
  }
  if (!isDone) ledger.novelty++;
  if (isFailure) {
    judgeTerm(context, report, until);
    const { moduleId } = target;
    const first = {
      key: keyOf(target),
      state: stateOf(to, report),
      since: moment().elapsed,
      reason: report.reason,
    };
    const failed = { moduleId, version: to, digest, until, setup: report.setup };
    // The target of a rollback has worked: only a failed upgrade can fail again. (D80)
    // One that goes back from what fails is compared with it. (D102)
    const from =
      blame === 'undecided' && action.direction === 'downgrade' ? action.from : undefined;
    const replaced = action.replaced ?? from ?? undefined;
    const isRollback = replaced !== undefined;
    quarantineFailed(context, failed, isRollback ? first : again(context, failed, first));
    const other = running === to ? replaced : (running ?? replaced);
    if (blame === 'undecided' && other) suspend(context, { target, replaced: other }, report);
  }
  if (blame === 'machine') ledger.restarts.set(keyOf(target), [...otherRestarts(context, action)]);
  if (open && blame === 'machine') {
    Object.assign(open, { state: 'waiting', failedAt: moment(), failures: open.failures + 1 });
    ledger.begun.delete(id);
    return;
  }
  ledger.open.delete(id);
  ledger.ended.set(id, isDone ? 'done' : 'failed');
}

/** What the agent said of an action or of a version, which modreg records in the same order. (D38) */
function heardReport(
  { ledger, complain }: JudgeContext,
  who: string,
  { running, blame, reason }: Omit<SeenOutcome, 'until'>,
): Report | undefined {
  const report = ledger.reports.shift();
  const isSame =
    report !== undefined &&
    (report.id ?? keyOf(report.target)) === who &&
    report.blame === blame &&
    report.reason === reason &&
    (blame === undefined || report.running === running);
  if (isSame) return report;
  const said = report ? described(report) : 'nothing';
  complain(
    'D38',
    `${who} is recorded as ${blame ?? 'done'}, ${String(running)} runs; the agent said ${said}`,
  );
  return undefined;
}

/** The failure of a version is recorded. */
export function fail(
  context: JudgeContext,
  target: Target,
  failure: SeenFailure,
  ended: string | undefined,
): void {
  const { ledger, complain } = context;
  const { blame = 'release' } = failure;
  const report = heardReport(context, keyOf(target), { ...failure, blame });
  if (!report) return;
  const { version, running } = report;
  const { until } = failure;
  if (version !== failure.version) complain('D38', `${described(report)}, not ${failure.version}`);
  const open = [...ledger.open.values()].find(
    (one) =>
      one.state === 'delivered' &&
      one.to === version &&
      fileOf(one.target, version) === fileOf(target, version),
  );
  if (open?.id !== ended) complain('D38', `${ended} is ended, where ${open?.id} is expected`);
  const digest = ledger.files.get(fileOf(target, version));
  judgeTerm(context, report, until);
  const isKept = blame === 'undecided' && running === version;
  if (open) noteRunning(ledger, target, running, isKept ? undefined : version);
  else noteFailed(ledger, target, { version, running, isKept });
  const { moduleId } = target;
  const { reason } = report;
  const since = context.moment().elapsed;
  const first = { key: keyOf(target), state: stateOf(version, report), since, reason };
  const failed = { moduleId, version, digest, until, setup: report.setup };
  quarantineFailed(context, failed, again(context, failed, first));
  // The one in its place is started for ever. (D80)
  if (blame === 'undecided' && typeof running === 'string' && !isKept)
    suspend(context, { target, replaced: running }, report);
  ledger.novelty++;
  if (!open) return;
  endRequest(ledger, open.target, undefined);
  ledger.wishes.delete(keyOf(open.target));
  ledger.held.delete(open.id);
  ledger.open.delete(open.id);
  ledger.ended.set(open.id, 'failed');
}

/** A failure leaves a rollback as it is; of another quarantine, the later end counts, and each file if there was no digest. (D13) */
function quarantineFailed(
  { ledger, moment }: JudgeContext,
  { setup, ...failed }: SeenQuarantine & { readonly setup: string | undefined },
  entry: SeenEntry,
): void {
  const key = `${failed.moduleId} ${failed.version}`;
  const before = ledger.quarantine.get(key);
  const isInForce = before !== undefined && moment().wall < (before.until ?? Infinity);
  if (!isInForce) {
    const setups = withSetup(new Map(), entry.key, setup);
    return void ledger.quarantine.set(key, { ...failed, entries: [entry], setups });
  }
  if (before.isRollback === true) return;
  // What an operator refused is refused in all entries. (D81)
  if (!before.entries && entry.state !== 'failed') return;
  const others = before.entries?.filter((one) => one.key !== entry.key);
  const { digest, until } = failed;
  const end = Math.max(before.until ?? Infinity, until ?? Infinity);
  ledger.quarantine.set(key, {
    ...failed,
    digest: before.digest === undefined ? undefined : digest,
    until: end === Infinity ? undefined : end,
    entries: others && [...others, entry],
    setups: before.setups && withSetup(before.setups, entry.key, setup),
  });
}

/** With what reached another program that failed. An operator's refusal has none. (D82) */
function withSetup(
  before: SeenQuarantine['setups'] & object,
  key: string,
  setup: string | undefined,
): SeenQuarantine['setups'] {
  if (setup === undefined) return before;
  return new Map([...before, [key, new Set([...(before.get(key) ?? []), setup])]]);
}

/** What is started again and again is kept, and the other waits for it. (D80) */
function stateOf(version: string, { blame, running }: Report): SeenEntry['state'] {
  if (blame !== 'undecided') return 'failed';
  return version === running ? 'kept' : 'waiting';
}

/** What fails once more after the version before it, which had failed in the same way, worked again is to blame. (D80) */
function again(
  { ledger, moment }: JudgeContext,
  { moduleId, version }: SeenQuarantine,
  first: SeenEntry,
): SeenEntry {
  const { entries, until = Infinity } = ledger.quarantine.get(`${moduleId} ${version}`) ?? {};
  const before = moment().wall < until ? entries?.find(({ key }) => key === first.key) : undefined;
  const isAgain = before?.state === 'may be tried' || before?.state === 'failed again';
  // What was up for an hour here fails twice because of the world. (D104)
  if (ledger.endured.has(`${first.key} ${moduleId} ${version}`)) return first;
  return isAgain && first.state !== 'kept' ? { ...first, state: 'failed again' } : first;
}

/** What failed before the version of an action failed in the same way. (D80) */
function suspend(
  { ledger, moment }: JudgeContext,
  { target, replaced }: Pick<SeenAction, 'target'> & { readonly replaced: string },
  report: Report,
): void {
  const before = ledger.quarantine.get(`${target.moduleId} ${replaced}`);
  const own = before?.entries?.find(({ key }) => key === keyOf(target));
  if (!own) return;
  const state = stateOf(replaced, report);
  if (own.state !== 'failed again' || state === 'kept')
    Object.assign(own, { state, since: moment().elapsed });
}

/** A deployed version works: what is undecided may be tried again. An hour ends what was undecided about itself. (D80) */
export function works(
  { ledger }: JudgeContext,
  target: Target,
  { version, isProven }: { readonly version: string; readonly isProven: boolean },
): void {
  const key = keyOf(target);
  endFailedRestart(ledger, target);
  if (isProven) ledger.endured.add(`${key} ${target.moduleId} ${version}`);
  for (const [file, quarantine] of ledger.quarantine) {
    const { moduleId, entries } = quarantine;
    const own = entries?.find((one) => one.key === key);
    if (moduleId !== target.moduleId || !entries || !own) continue;
    if (own.state === 'waiting') own.state = 'may be tried';
    if (!isProven || quarantine.version !== version || isBlamed(own)) continue;
    const others = entries.filter((one) => one !== own);
    if (others.length === 0) ledger.quarantine.delete(file);
    else ledger.quarantine.set(file, { ...quarantine, entries: others });
  }
  ledger.novelty++;
}

/** A quarantine lasts as long as the policy stated when the failure was reported. (D13) */
function judgeTerm(
  { moment, complain }: JudgeContext,
  { target, quarantineMs }: Report,
  until: number | undefined,
): void {
  const expected = quarantineMs.map((ms) => (ms === undefined ? undefined : moment().wall + ms));
  if (expected.includes(until)) return;
  complain(
    'D13',
    `a release of ${keyOf(target)} failed, and is in quarantine until ${until}, not ${expected.join(' or ')}`,
  );
}

export function otherRestarts(
  { ledger }: JudgeContext,
  { id, target }: SeenAction,
): readonly OneRestart[] {
  return (ledger.restarts.get(keyOf(target)) ?? []).filter((restart) => restart.id !== id);
}

type OneRestart = NonNullable<ReturnType<JudgeContext['ledger']['restarts']['get']>>[number];
