import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readMachine, readUpdatePolicy } from '../../src/config/index.ts';
import type { ActionTarget } from '../../src/core/index.ts';
import {
  Poller,
  type Configuration,
  type Delivery,
  type PollerEvent,
} from '../../src/poller/index.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import type { ClaimedFile, CommittedAction } from '../../src/store/index.ts';
import { moduleNamed, running } from '../support/claimed.ts';
import { MINUTE, SECOND } from '../support/day.ts';
import { component, entry } from '../support/planned.ts';
import { promptRegistry, readingOf, track, type Track } from '../support/racing.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { cases } from '../support/runs.ts';

const RUNS = cases(50);

/** The modules of a machine, and the owners of its components: a module or the server. */
const MODULES = ['m0', 'm1', 'm2', 'm3'] as const;
const OWNERS = [...MODULES, 'server'] as const;

/** A component: its owner, and the places of the earlier components that it depends on. */
interface Part {
  readonly owner: (typeof OWNERS)[number];
  readonly on: readonly number[];
}

const PARTS: fc.Arbitrary<readonly Part[]> = fc
  .array(
    fc.record({ owner: fc.constantFrom(...OWNERS), on: fc.array(fc.nat(), { maxLength: 2 }) }),
    { minLength: 3, maxLength: 8 },
  )
  .map((parts) =>
    parts.map(({ owner, on }, place) => {
      return { owner, on: place === 0 ? [] : [...new Set(on.map((far) => far % place))] };
    }),
  );

/** What an agent reports about an action. */
const OUTCOMES = {
  done: undefined,
  'the old version is deployed': { running: 'old', blame: 'release' },
  'the new version is deployed': { running: 'new', blame: 'release' },
  'nothing is deployed': { running: 'nothing', blame: 'release' },
  'the version is unknown': { running: 'unknown', blame: 'release' },
  'the machine failed': { running: 'old', blame: 'machine' },
  'the machine failed, and the version is unknown': { running: 'unknown', blame: 'machine' },
} as const;

type Step =
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'publish'; readonly which: number }
  | {
      readonly kind: 'acknowledge';
      readonly which: number;
      readonly outcome: keyof typeof OUTCOMES;
    }
  | { readonly kind: 'answer'; readonly isAnswering: boolean }
  | { readonly kind: 'restart' };

const ACKNOWLEDGE = fc.record({
  kind: fc.constant('acknowledge' as const),
  which: fc.nat(3),
  outcome: fc.constantFrom('done', 'done', ...(Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[])),
});
const STEPS: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({
      kind: fc.constant('pass'),
      ms: fc.constantFrom(0, SECOND, MINUTE, 5 * MINUTE, 31 * MINUTE),
    }),
    fc.record({ kind: fc.constant('publish'), which: fc.nat(3) }),
    ACKNOWLEDGE,
    ACKNOWLEDGE,
    fc.record({ kind: fc.constant('answer'), isAnswering: fc.boolean() }),
    fc.constant({ kind: 'restart' }),
  ),
  { maxLength: 25 },
);

/** The modules that components of `module` depend on, found without the code under test. */
function neededBy(module: string, parts: readonly Part[]): Set<string> {
  const owners = (place: number): string[] => [
    parts[place]?.owner ?? '',
    ...(parts[place]?.on ?? []).flatMap(owners),
  ];
  const all = parts.flatMap(({ owner }, place) => (owner === module ? owners(place) : []));
  return new Set(all.filter((owner) => owner !== module && owner !== 'server'));
}

/** Whether `from` needs `to`, directly or through other modules, in at most as many steps as there are modules. */
function leads(from: string, to: string, parts: readonly Part[], steps = 4): boolean {
  const needed = neededBy(from, parts);
  return (
    needed.has(to) || (steps > 1 && [...needed].some((one) => leads(one, to, parts, steps - 1)))
  );
}

/** What an observer of a machine knows, and the deliveries that break the rule. */
function judge(parts: readonly Part[]) {
  const known = new Map<string, string | null | undefined>();
  const failed = new Set<string>();
  const open = new Map<string, CommittedAction>();
  // A late acknowledgement of one that was withdrawn counts, unless the deployed version is known since.
  const withdrawn = new Map<string, CommittedAction>();
  const violations: string[] = [];
  const against = (other: string, { id, target }: CommittedAction): string | undefined => {
    const isCircle = leads(other, target.name, parts);
    const ids = [...open].filter(([, action]) => action.target.name === other).map(([its]) => its);
    const all = [...open.keys()];
    if (ids.some((its) => !isCircle || all.indexOf(its) < all.indexOf(id))) return 'is open';
    if (!known.has(other)) return undefined;
    const deployed = known.get(other);
    if (deployed === undefined) return 'is unknown';
    if (deployed === null) return isCircle && ids.length > 0 ? undefined : 'is missing';
    return failed.has(`${other} ${deployed}`) ? 'failed' : undefined;
  };
  return {
    known,
    violations,
    onEvent(event: PollerEvent): void {
      if (event.kind === 'callback-error') violations.push(String(event.error));
      if (event.kind === 'committed') open.set(event.action.id, event.action);
      if (event.kind === 'superseded' || event.kind === 'withdrawn') open.delete(event.action.id);
      if (event.kind === 'withdrawn') {
        withdrawn.set(event.action.id, event.action);
        known.set(event.action.target.name, undefined);
      }
      if (event.kind === 'delivered' && event.action.direction !== 'rollback') {
        for (const other of neededBy(event.action.target.name, parts)) {
          const why = against(other, event.action);
          if (why !== undefined)
            violations.push(`${event.action.target.name}, and ${other} ${why}`);
        }
      }
      if (event.kind !== 'acknowledged') return;
      const { id, outcome } = event;
      const action = open.get(id) ?? withdrawn.get(id);
      if (!action) return;
      const { target, to } = action;
      known.set(target.name, outcome.kind === 'done' ? to : outcome.running);
      if (outcome.kind === 'done' || outcome.blame === 'release') open.delete(id);
      if (outcome.kind === 'failed' && outcome.blame === 'release')
        failed.add(`${target.name} ${to}`);
    },
  };
}

function configurationOf(parts: readonly Part[]): Configuration {
  const components = parts.map(({ owner, on }, place) =>
    component(
      `c${place}`,
      owner === 'server' ? 'fake' : `acme:${owner}:x`,
      ...on.map((other) => `c${other}`),
    ),
  );
  const modules = MODULES.map((name) => entry(`acme:${name}`, '1.0.*', name));
  const machine = readMachine(JSON.stringify({ components, modules }));
  const terms = { restart_cooldown: '0s', restart_ceiling: 1440 };
  const policy = readUpdatePolicy(JSON.stringify(terms));
  if (!machine.ok || !policy.ok) throw new Error('the documents cannot be read');
  return { machine: machine.value, policy: policy.value };
}

/** A machine that begins with some modules missing, and 1.0.0 of the others. */
function life(on: Track, parts: readonly Part[], missing: readonly boolean[]) {
  const clock = virtualClock();
  const state = on.begin(clock);
  const judged = judge(parts);
  const configuration = configurationOf(parts);
  const newest = new Map<string, number>(MODULES.map((name) => [`acme:${name}`, 1]));
  const truth = new Map<string, string | null>(
    MODULES.map((name, place) => [name, missing[place] === true ? null : '1.0.0']),
  );
  let isAnswering = true;
  let deliveries: Delivery[] = [];
  const registry: PollableRegistry = {
    ...promptRegistry(() => 0),
    readAll: async (ids) =>
      await Promise.resolve(new Map(ids.map((id) => [id, readingOf(newest.get(id) ?? 'no list')]))),
  };
  const begin = (): Poller => {
    const poller = new Poller({
      file: { path: '/home/machine.db', state } as ClaimedFile,
      clock,
      configuration: () => configuration,
      random: () => 0,
      registryFor: () => registry,
      platform: 'linux/arm64',
      intervalMs: 10 * MINUTE,
      deployedVersion({ kind, name }: ActionTarget) {
        if (kind === 'subsystem' || !isAnswering) return undefined;
        judged.known.set(name, truth.get(name));
        return truth.get(name);
      },
      onEvent: (event) => judged.onEvent(event),
    });
    const mine = deliveries;
    poller.start();
    void (async () => {
      for await (const delivery of poller.deliveries()) mine.push(delivery);
    })();
    return poller;
  };
  let poller = begin();
  const acknowledge = async (which: number, outcome: keyof typeof OUTCOMES): Promise<void> => {
    const [delivery] = deliveries.splice(which, 1);
    if (!delivery) return;
    const { target, from = null, to } = delivery.action;
    const report = OUTCOMES[outcome];
    if (!report) {
      truth.set(target.name, to);
      await delivery.done();
      return;
    }
    const deployed = { old: from, new: to, nothing: null, unknown: undefined }[report.running];
    truth.set(target.name, deployed === undefined ? from : deployed);
    await delivery.failed({ reason: 'no', running: deployed, blame: report.blame });
  };
  const step = async (one: Step): Promise<void> => {
    if (one.kind === 'pass') await clock.pass(one.ms);
    else if (one.kind === 'acknowledge') await acknowledge(one.which, one.outcome);
    else if (one.kind === 'answer') ({ isAnswering } = one);
    else if (one.kind === 'publish') {
      const id = `acme:${MODULES[one.which] ?? ''}`;
      newest.set(id, (newest.get(id) ?? 0) + 1);
    } else {
      await poller.stop();
      deliveries = [];
      poller = begin();
    }
    await clock.pass(0);
  };
  return {
    judged,
    state,
    step,
    deliveries: () => deliveries.length,
    stop: async () => await poller.stop(),
    newest: () => MODULES.map((name) => `1.0.${newest.get(`acme:${name}`) ?? ''}`),
  };
}

it('[T62] whatever fails, no module is updated before those that it needs work, and all are updated in the end', async () => {
  const on = track();
  const missing = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(PARTS, missing, STEPS, async (parts, without, steps) => {
      const machine = life(on, parts, without);
      await machine.step({ kind: 'pass', ms: 10 * MINUTE });
      for (const step of steps) await machine.step(step);
      await machine.step({ kind: 'answer', isAnswering: true });
      for (let which = 0; which < MODULES.length; which++) {
        await machine.step({ kind: 'publish', which });
      }
      for (let round = 0; round < 4; round++) {
        await machine.step({ kind: 'pass', ms: 31 * MINUTE });
        while (machine.deliveries() > 0) {
          await machine.step({ kind: 'acknowledge', which: 0, outcome: 'done' });
        }
      }
      await machine.stop();
      const deployed = MODULES.map(
        (name) => running(machine.state, moduleNamed(name)).split(' ')[0],
      );
      expect(machine.judged.violations).toEqual([]);
      expect(deployed).toEqual(machine.newest());
      expect(machine.state.memory().open).toEqual([]);
    }),
    RUNS,
  );
});
