import { keyOf, type TargetName } from '../../core/plan/target.ts';
import type { Result } from '../../core/index.ts';
import type { RestartRequest } from '../../core/decision/decision.ts';
import type { MachineChanges, RestartPreview, RestartWish } from '../../page/machine-changes.ts';
import type { PageProblem } from '../../page/page-problem.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { labelFor, targetOf } from '../../host/machine-row.ts';
import {
  prepareRestart,
  restartCommand,
  type PreparedRestart,
} from '../machine/restart-command.ts';
import { prepareRollback } from '../machine/rollback-command.ts';
import { planOf, planSupposing } from '../plan/plan-command.ts';
import type { World } from '../../base/world.ts';
import { FROM_SAVED, type PageMachineOptions } from './page-machine-options.ts';
import { answerOf, asPageProblem, inFile, onPage, refused } from './page-problem.ts';
import { rowIn, sharesOf } from './planned-outcome.ts';

type Requests = Pick<
  MachineChanges,
  'previewRestart' | 'restart' | 'cancelRestart' | 'previewRollback' | 'rollBack'
>;

/** What the commands `restart` and `rollback` do, for the page (T137). */
export function requestsOnPage(path: string, options: PageMachineOptions, world: World): Requests {
  return {
    previewRestart: (name, wish) => previewRestart(name, wish, { path, options, world }),
    restart: async (name, { isImmediate, deployed }) =>
      inFile(world, 'write', (file) => {
        const restart = prepareRestart(name, { isImmediate }, { file, world });
        if (!restart.ok) return onPage(restart);
        const { row, json, request } = restart.value;
        const stale = otherThanSeen(labelFor(row), deployed, restart.value.deployed);
        if (stale) return stale;
        request();
        return { ok: true, value: json };
      }),
    cancelRestart: async (name) =>
      answerOf(restartCommand(name, { cancel: true, json: true }, world)),
    previewRollback: async (name, term) =>
      inFile(world, 'read', (file) => {
        const rollback = prepareRollback(name, term, { file, world });
        if (!rollback.ok) return onPage(rollback);
        const { row, from, to, lines } = rollback.value;
        return { ok: true, value: { label: labelFor(row), from, to, lines } };
      }),
    rollBack: async (name, { termMs, deployed, to }) =>
      inFile(world, 'write', (file) => {
        const rollback = prepareRollback(name, { termMs }, { file, world });
        if (!rollback.ok) return onPage(rollback);
        const { row, from, json, rollBack } = rollback.value;
        const stale =
          otherThanSeen(labelFor(row), deployed, from) ??
          otherTarget(labelFor(row), to, rollback.value.to);
        if (stale) return stale;
        const done = onPage(rollBack());
        return done.ok ? { ok: true, value: json } : done;
      }),
  };
}

interface Place {
  readonly path: string;
  readonly options: PageMachineOptions;
  readonly world: World;
}

async function previewRestart(
  name: string,
  { isImmediate }: RestartWish,
  { path, options, world }: Place,
): Promise<Result<RestartPreview, PageProblem[]>> {
  const prepared = inFile<PreparedRestart & Pick<RestartPreview, 'isRequested'>>(
    world,
    'read',
    (file) => {
      const restart = prepareRestart(name, { isImmediate }, { file, world });
      if (!restart.ok) return onPage(restart);
      const { restartRequest } = machineStateIn(file).memory().of(targetOf(restart.value.row));
      const isRequested = restartRequest !== undefined && restartRequest.failure === undefined;
      return { ok: true, value: { ...restart.value, isRequested } };
    },
  );
  if (!prepared.ok) return prepared;
  const { row, deployed, lines, isRequested } = prepared.value;
  const request = { requestedAt: world.clock(), isImmediate };
  const effects = await effectsOf(row, request, { path, options, world });
  if (!effects.ok) return effects;
  return {
    ok: true,
    value: { label: labelFor(row), deployed, lines, isRequested, ...effects.value },
  };
}

/** What stops for a restart, and what shares it: the plan of the machine with that request. */
async function effectsOf(
  target: TargetName,
  restartRequest: RestartRequest,
  { path, options, world }: Place,
): Promise<Result<Pick<RestartPreview, 'stops' | 'shares'>, PageProblem[]>> {
  const planned = await planOf(path, { ...options, ...FROM_SAVED }, world);
  if (!planned.ok) return { ok: false, error: planned.error.map(asPageProblem) };
  const { facts } = planned.value;
  const plan = planSupposing(planned.value, {
    facts: (one) => ({ ...facts(one), ...(keyOf(one) === keyOf(target) && { restartRequest }) }),
  });
  const stops = rowIn(plan, target)?.stops ?? [];
  return { ok: true, value: { stops, shares: sharesOf(target, plan) } };
}

function otherThanSeen(
  label: string,
  seen: string | undefined,
  deployed: string,
): ReturnType<typeof refused> | undefined {
  if (seen === undefined || seen === deployed) return undefined;
  const message = `${label} ${deployed} is deployed by now, and the page showed ${seen}; nothing was changed`;
  return refused('DEPLOYED_CHANGED', message, { hint: LOOK_AGAIN });
}

const LOOK_AGAIN = 'look at what would happen now, and confirm that';

function otherTarget(
  label: string,
  seen: string | undefined,
  to: string,
): ReturnType<typeof refused> | undefined {
  if (seen === undefined || seen === to) return undefined;
  const message = `${label} would roll back to ${to} by now, and the page showed ${seen}; nothing was changed`;
  return refused('DEPLOYED_CHANGED', message, { hint: LOOK_AGAIN });
}
