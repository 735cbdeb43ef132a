import {
  readMachine,
  readUpdatePolicy,
  type Machine,
  type DocumentResult,
  type UpdatePolicy,
} from '../../src/config/index.ts';
import type { Configuration } from '../../src/poller/index.ts';
import { dailyWindow } from './daily-window.ts';
import { CANARY, namesServer, type DesiredTerms, type Desired } from './desired.ts';

/** Documents read recently, by text: most texts recur on many machines. */
const READ: Map<string, Machine | UpdatePolicy> = new Map();
const MOST_READ = 1000;
const CONFIGURATIONS = new WeakMap<Desired, Configuration>();

/** The documents of a desired state, as the product reads them. */
export function configurationOf(desired: Desired): Configuration {
  const known = CONFIGURATIONS.get(desired);
  if (known) return known;
  const machine = read(JSON.stringify(machineDocument(desired)), readMachine);
  const policy = withDailyWindows(
    read(JSON.stringify(policyDocument(desired)), readUpdatePolicy),
    desired,
  );
  const configuration = { machine, policy };
  CONFIGURATIONS.set(desired, configuration);
  return configuration;
}

/** Replaces compiled windows with equal, faster ones. */
function withDailyWindows(
  { terms, modules, ...rest }: UpdatePolicy,
  desired: Desired,
): UpdatePolicy {
  return {
    ...rest,
    terms: { ...terms, window: dailyWindow(desired.terms.windows) },
    modules: new Map(
      Array.from(modules, ([name, own]) => {
        const { windows } = desired.own[name] ?? desired.terms;
        return [name, { ...own, window: dailyWindow(windows) }];
      }),
    ),
  };
}

function read<T extends Machine | UpdatePolicy>(
  text: string,
  by: (text: string) => DocumentResult<T>,
): T {
  const known = READ.get(text);
  if (known) return known as T;
  const reading = by(text);
  if (!reading.ok) {
    const problems = reading.problems.map(({ message }) => message).join('; ');
    throw new Error(`a document of a simulated machine cannot be read: ${problems}`);
  }
  if (READ.size >= MOST_READ) READ.clear();
  READ.set(text, reading.value);
  return reading.value;
}

function machineDocument(desired: Desired): object {
  const { modules, needs, server, agent } = desired;
  return {
    components: modules.map(({ name, moduleId }) => ({
      name: `c-${name}`,
      model: `${moduleId}:x`,
      type: 'sensor',
      namespace: 'rdk',
      depends_on: needs.filter(([who]) => who === name).map(([, on]) => `c-${on}`),
    })),
    modules: modules.map(({ name, moduleId, constraint, isLocal, value }) =>
      isLocal
        ? { type: 'local', name, module_id: moduleId, executable_path: '/opt/x' }
        : {
            type: 'registry',
            name,
            module_id: moduleId,
            version: constraint,
            env: { KEY: CANARY, ...(value && { VALUE: String(value.number) }) },
          },
    ),
    agent: {
      'platform-agent': pinOf(agent),
      ...(namesServer(desired) && {
        'platform-server': {
          ...pinOf(server),
          release_channel: server.channel,
          disable_subsystem: server.isDisabled,
        },
      }),
    },
  };
}

function pinOf({ pin, pinUrl }: Desired['agent']): object {
  return {
    ...(pin === undefined ? {} : { pin_version: pin }),
    ...(pinUrl === undefined ? {} : { pin_url: pinUrl }),
  };
}

function policyDocument({ terms, own, asking, modules, provides, tags }: Desired): object {
  const refuse = terms.refuse.length === 0 ? {} : { refuse: { '*': terms.refuse } };
  const asked = asking === undefined ? [] : [...modules.map(({ name }) => name), SERVER_NAME];
  const names = new Set([...Object.keys(own), ...asked]);
  const ofOne = (name: string): object => ({
    ...(own[name] && termsDocument(own[name])),
    ...(asking !== undefined && {
      restart_status: statusAddressOf(name),
      restart_status_unclear: asking,
    }),
  });
  return {
    ...termsDocument(terms),
    ...refuse,
    provides,
    tags,
    modules: Object.fromEntries(Array.from(names, (name) => [name, ofOne(name)])),
  };
}

const SERVER_NAME = 'platform-server';

/** Where an entry says whether it may be stopped. */
function statusAddressOf(name: string): string {
  return `http://127.0.0.1:4000/${name}`;
}

function termsDocument(terms: DesiredTerms): object {
  return {
    registry: terms.registry,
    minimum_release_age: seconds(terms.minimumAgeMs),
    unknown_release_age: terms.unknownAge,
    ...(terms.byStepMs && {
      minimum_release_age_by_step: {
        major: seconds(terms.byStepMs.major),
        minor: seconds(terms.byStepMs.minor),
        patch: seconds(terms.byStepMs.patch),
      },
    }),
    maintenance: terms.windows.map(({ minute, minutes }) => ({
      start: `${minute % 60} ${Math.floor(minute / 60)} * * *`,
      duration: `${minutes}m`,
      time_zone: 'UTC',
    })),
    allow_downgrade: terms.allowDowngrade,
    on_yank: terms.onYank,
    require_digest: terms.requireDigest,
    quarantine: terms.quarantineMs === undefined ? 'until-lifted' : seconds(terms.quarantineMs),
    restart_cooldown: seconds(terms.restMs),
    restart_ceiling: terms.ceiling,
    max_index_age: seconds(terms.maxIndexAgeMs),
    ...(terms.longestHoldMs !== undefined && { longest_hold: seconds(terms.longestHoldMs) }),
    ...(terms.blackouts && { blackout: terms.blackouts.map(blackoutDocument) }),
  };
}

/** In UTC, to the minute. */
function blackoutDocument({ from, until }: { from: number; until: number }): object {
  const [begin, end] = [from, until].map((at) => new Date(at).toISOString().slice(0, 16));
  return { from: begin, to: end, time_zone: 'UTC' };
}

function seconds(ms: number): string {
  return `${Math.floor(ms / 1000)}s`;
}
