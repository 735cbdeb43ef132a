import { deployedText } from '../../src/core/decision/deployed.ts';
import type { PollerEvent } from '../../src/poller/index.ts';
import type { CommittedAction } from '../../src/store/index.ts';
import type { JudgedMachine, JudgedModule } from '../support/judged-machine.ts';
import { planJudge, verdictOn } from '../support/plan-judge.ts';
import { NAMES, TARGETS, type Life, type Name } from './loop-world.ts';

/*
 * The invariants. What is due is decided by the naive reading of the decision table that the simulator uses, from what the
 * registry said and what machine.db has; what machine.db must have is checked where the agent reports.
 */

export interface Judge {
  /** What is broken. */
  readonly broken: string[];
  /** Each event of the poller. */
  readonly hear: (event: PollerEvent) => void;
  /** Whether the consumer may begin the action was answered. */
  readonly permitted: (action: CommittedAction) => void;
  /** The agent reported that an action is done. */
  readonly done: (name: Name, action: CommittedAction) => void;
  /** The agent reported that a version does not work, and what runs; with `action`, if that is its outcome. */
  readonly failed: (
    name: Name,
    said: { readonly version: string; readonly running: string; readonly action?: CommittedAction },
  ) => void;
}

export function judge(life: () => Life): Judge {
  const broken: string[] = [];
  const due = (action: CommittedAction, what: string): void => {
    const expected = expectationOf(life(), action.target.name as Name);
    const found = `${action.direction} ${action.to}`;
    if (found !== expected) broken.push(`${described(action)} is ${what}, expected: ${expected}`);
  };
  return {
    broken,
    hear: (event) => {
      if (event.kind === 'callback-error' || event.kind === 'state-unavailable')
        broken.push(String(event.error));
      if (event.kind === 'committed') {
        due(event.action, 'committed');
        broken.push(...besideOthers(life(), event.action));
      }
      if (event.kind === 'delivered') {
        if (event.times === 1) due(event.action, 'delivered');
        else if (!mayBeFinished(life(), event.action))
          broken.push(`${described(event.action)} is delivered again, and may not be selected`);
        broken.push(...beforeOthers(life(), event.action));
      }
      if (event.kind === 'withdrawn' && mayBeFinished(life(), event.action))
        broken.push(`${described(event.action)} is withdrawn, and may be selected`);
    },
    permitted: (action) => {
      if (!mayBeFinished(life(), action))
        broken.push(`${described(action)} may be begun, and may not be selected`);
      broken.push(...beforeOthers(life(), action));
    },
    done: (name, action) => broken.push(...unrecorded(life(), name, action.to, action)),
    failed: (name, { version, running, action }) => {
      const now = life();
      broken.push(...unrecorded(now, name, running, action));
      const { quarantine } = now.file.state.memory().of(TARGETS[name]);
      if (!quarantine.some((one) => one.version === version))
        broken.push(`${name} ${version} failed, and is not in quarantine`);
    },
  };
}

/** A report is on disk once it is accepted. */
function unrecorded(
  { file }: Life,
  name: Name,
  running: string,
  ended?: CommittedAction,
): string[] {
  const memory = file.state.memory();
  const found = deployedText(memory.of(TARGETS[name]).deployed);
  const isOpen = memory.open.some(({ action }) => action.id === ended?.id);
  return [
    ...(found === running ? [] : [`${name} runs ${running}, and machine.db has ${found}`]),
    ...(isOpen ? [`${name} has an outcome, and its action stays open`] : []),
  ];
}

function described({ target, direction, to }: CommittedAction): string {
  return `${direction} of ${target.name} to ${to}`;
}

function besideOthers({ file }: Life, { id, target }: CommittedAction): string[] {
  const others = file.state
    .memory()
    .open.filter(({ action }) => action.target.name === target.name && action.id !== id);
  return others.map(
    ({ action }) => `${target.name} has a second open action: ${described(action)}`,
  );
}

/** The arm is not replaced while the camera is, unless it must go back. */
function beforeOthers({ file }: Life, action: CommittedAction): string[] {
  if (action.target.name !== 'arm' || action.direction === 'rollback') return [];
  const camera = file.state.memory().open.find((one) => one.action.target.name === 'camera');
  return camera ? [`${described(action)} does not wait for ${described(camera.action)}`] : [];
}

/** An action that was delivered may be finished although a newer release exists. */
function mayBeFinished(life: Life, action: CommittedAction): boolean {
  const [machine, module] = questionOf(life, action.target.name as Name);
  const expected = planJudge(machine, module).replace('hold ', '');
  if (expected === `${action.direction} ${action.to}`) return true;
  if (expected === 'up-to-date' || expected === 'ahead') return false;
  if (action.direction === 'restart') return module.deployed === action.to;
  if (action.direction === 'rollback' || expected.startsWith('restart')) return false;
  const { chosen, refused } = verdictOn(machine, module);
  return (
    chosen === action.to ||
    refused.some(({ text, reason }) => text === action.to && reason === 'older')
  );
}

/** What the decision table says of a module: `upgrade 1.1.0`. */
function expectationOf(life: Life, name: Name): string {
  return planJudge(...questionOf(life, name));
}

function questionOf(life: Life, name: Name): [JudgedMachine, JudgedModule] {
  const { clock, file, heard } = life;
  const remembered = file.state.memory().of(TARGETS[name]);
  const { deployed, previous, failed, quarantine, restartRequest } = remembered;
  const isOpen = restartRequest !== undefined && restartRequest.failure === undefined;
  return [
    {
      now: clock.now(),
      platform: 'linux/arm64',
      machineId: undefined,
      group: undefined,
      isAsOf: false,
      isServerBusy: false,
      answer: undefined,
      isDisabled: false,
    },
    {
      constraint: '1.*',
      deployed: deployed.kind === 'none' ? null : deployedText(deployed),
      previous: previous?.text,
      failed: failed?.text,
      list: heard?.[name],
      confirmedAt: undefined,
      readAt: undefined,
      quarantine: quarantine.flatMap(({ version, until, rolledBack }) =>
        [version, ...(rolledBack?.refused ?? [])].map((text) => ({ version: text, until })),
      ),
      restarts: [],
      request: isOpen ? { isImmediate: restartRequest.request.isImmediate } : undefined,
      terms: TERMS,
    },
  ];
}

const TERMS: JudgedModule['terms'] = {
  minimumAge: { ms: 0, unknown: 'refuse' },
  allowDowngrade: true,
  replacesYanked: false,
  requireDigest: false,
  openings: undefined,
  restMs: 0,
  ceiling: 1440,
  maxIndexAgeMs: Infinity,
};

/** What is not settled although nothing bad happens any more. */
export function unsettled(life: Life): string | undefined {
  const { open } = life.file.state.memory();
  const [first] = open;
  if (first) return `${described(first.action)} stays ${first.state}`;
  for (const name of NAMES) {
    const expected = expectationOf(life, name);
    if (expected !== 'up-to-date' && expected !== 'ahead') return `${name}: ${expected}`;
    const { deployed } = life.file.state.memory().of(TARGETS[name]);
    const found = deployedText(deployed);
    const running = life.world.running[name];
    if (found !== running) return `${name} ${running} runs, and machine.db has ${found}`;
  }
  return undefined;
}
