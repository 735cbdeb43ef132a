import { expect } from 'vitest';
import * as config from '../../../src/config/index.ts';
import * as core from '../../../src/core/index.ts';

const { indexReleases, parseConstraint, readDeployed, resolve } = core;
const LATEST = { kind: 'latest' } as const;
const INDEX = indexReleases(['1.0.0']);
export const VERSION: core.Version = {
  text: '1.0.0',
  major: 1,
  minor: 0,
  patch: 0,
  prerelease: '',
  build: '',
};
const TIMING = {
  window: undefined,
  answer: undefined,
  isServerBusy: false,
  restarts: [],
  restartCooldownMs: 0,
  restartCeiling: 1,
};
const DECIDE = {
  requirement: LATEST,
  list: { index: INDEX },
  deployed: readDeployed('1.0.0'),
  previous: undefined,
  quarantine: [],
  eligibility: { now: 0, platform: 'linux/arm64' },
  maxIndexAgeMs: 0,
  allowDowngrade: true,
  timing: TIMING,
} as const;
const DECISION = core.decide(DECIDE);
const PLAN = {
  machine: { modules: [], components: [], agent: {} },
  policy: { modules: new Map() },
  platform: 'linux/arm64',
  now: 0,
  modules: new Map(),
  subsystems: new Map(),
  isServerBusy: false,
};
const CATALOGUE = { publish: () => [], changes: () => [], close: () => undefined };
const PLACE = { host: '127.0.0.1', port: 0 };
const POLLER = {
  file: { state: {} },
  configuration: () => ({}),
  registryFor: () => ({}),
  platform: 'linux/arm64',
};

/** Arguments, and what the message says after the name of the function. */
type WrongArguments = readonly [wrong: readonly unknown[], message: string];

/** The arguments that each exported function and class cannot use, and the message of the TypeError. */
export const WRONG_ARGUMENTS: Readonly<Record<string, readonly WrongArguments[]>> = {
  compareVersions: [
    [['1.0.0', VERSION], 'found "1.0.0" as a, expected a Version of parseVersion()'],
    [[VERSION, undefined], 'found nothing as b, expected a Version of parseVersion()'],
    [
      [VERSION, core.parseVersion('1.0.0')],
      'found a Result as b, expected a Version of parseVersion()',
    ],
    [
      [core.parseVersion('1').ok, VERSION],
      'found the boolean false as a, expected a Version of parseVersion()',
    ],
  ],
  formatConstraint: [
    [['1.*'], 'found "1.*" as constraint, expected a Constraint of parseConstraint()'],
    [
      [{ kind: 'range' }],
      'found an object as constraint, expected a Constraint of parseConstraint()',
    ],
  ],
  indexReleases: [
    [
      [],
      'found nothing as releases, expected an iterable of versions or of records with a version',
    ],
    [
      ['1.0.0'],
      'found "1.0.0" as releases, expected an iterable of versions or of records with a version',
    ],
    [
      [{ '1.0.0': {} }],
      'found an object as releases, expected an iterable of versions or of records with a version',
    ],
    [[[1, 2]], 'found the number 1 as the first release, expected text or a record with a version'],
    [[[null]], 'found null as the first release, expected text or a record with a version'],
    [
      [[{ tag: '1.0.0' }]],
      'found an object as the first release, expected text or a record with a version',
    ],
  ],
  pick: [
    [
      ['1.0.0', '1.*'],
      'found "1.0.0" as versions, expected an iterable of versions or of records with a version',
    ],
    [[['1.0.0']], 'found nothing as constraint, expected text'],
    [[['1.0.0'], LATEST], 'found an object as constraint, expected text'],
  ],
  resolve: [
    [
      [1, INDEX],
      'found the number 1 as constraint, expected a Constraint of parseConstraint(), or text',
    ],
    [
      [parseConstraint('1.*'), INDEX],
      'found a Result as constraint, expected a Constraint of parseConstraint(), or text',
    ],
    [
      [null, INDEX],
      'found null as constraint, expected a Constraint of parseConstraint(), or text',
    ],
    [
      [LATEST, '1.0.0'],
      'found "1.0.0" as index, expected a ReleaseIndex of indexReleases(), or an iterable of versions or of records with a version',
    ],
    [
      [LATEST],
      'found nothing as index, expected a ReleaseIndex of indexReleases(), or an iterable of versions or of records with a version',
    ],
    [
      [LATEST, INDEX, { platform: 'linux/arm64' }],
      'found nothing as eligibility.now, expected a number',
    ],
    [
      [LATEST, INDEX, { now: new Date(0) }],
      'found an object as eligibility.now, expected a number',
    ],
    [[LATEST, INDEX, 5], 'found the number 5 as eligibility, expected an object'],
  ],
  secret: [[[5], 'found the number 5 as text, expected text']],
  explain: [
    [[LATEST], 'found an object as resolution, expected a Resolution of resolve()'],
    [[resolve(LATEST, INDEX), null], 'found null as options, expected an object'],
  ],
  decide: [
    [[], 'found nothing as input, expected an object'],
    [
      [{ ...DECIDE, requirement: '1.*' }],
      'found "1.*" as input.requirement, expected a Requirement, such as a Constraint of parseConstraint()',
    ],
    [[{ ...DECIDE, list: undefined }], 'found nothing as input.list, expected an object'],
    [
      [{ ...DECIDE, deployed: '1.0.0' }],
      'found "1.0.0" as input.deployed, expected a Deployed of readDeployed()',
    ],
    [
      [{ ...DECIDE, deployed: VERSION }],
      'found an object as input.deployed, expected a Deployed of readDeployed()',
    ],
    [
      [{ ...DECIDE, quarantine: new Set() }],
      'found an object as input.quarantine, expected an array',
    ],
    [
      [{ ...DECIDE, eligibility: undefined }],
      'found nothing as input.eligibility, expected an object',
    ],
    [[{ ...DECIDE, timing: undefined }], 'found nothing as input.timing, expected an object'],
  ],
  describeDecision: [[['keep'], 'found "keep" as decision, expected a Decision of decide()']],
  describeChange: [
    [[undefined], 'found nothing as change, expected an object'],
    [[{ at: '2026-11-21' }], 'found "2026-11-21" as change.at, expected a number'],
  ],
  describeWarning: [
    [['yanked', DECISION], 'found "yanked" as warning, expected a Warning of a PlanRow'],
    [[{ kind: 'yanked' }], 'found nothing as decision, expected a Decision of decide()'],
  ],
  planMachine: [
    [
      [{ ...PLAN, platform: 'x86_64' }],
      'found "x86_64" as input.platform, expected a Platform of parsePlatform()',
    ],
    [[{ ...PLAN, now: '0' }], 'found "0" as input.now, expected a number'],
    [[{ ...PLAN, modules: {} }], 'found an object as input.modules, expected a Map'],
    [[{ ...PLAN, subsystems: [] }], 'found a list as input.subsystems, expected a Map'],
    [
      [{ ...PLAN, isServerBusy: undefined }],
      'found nothing as input.isServerBusy, expected true or false',
    ],
  ],
  termsFor: [
    [['policy.json', 'lidar'], 'found "policy.json" as policy, expected an object'],
    [[{ terms: {}, modules: {} }, 'lidar'], 'found an object as policy.modules, expected a Map'],
    [[config.DEFAULT_POLICY], 'found nothing as name, expected text'],
  ],
  fakeBoardOf: [
    [['board'], 'found "board" as entry, expected an object'],
    [[{ model: 'fake', type: 'board' }], 'found "fake" as entry.model, expected a model'],
  ],
  jsonSchemaOf: [[['machines'], 'found "machines" as kind, expected machine, agent or policy']],
  moduleEnvironment: [
    [['lidar', {}], 'found "lidar" as entry, expected an object'],
    [
      [{ name: 'lidar', moduleId: 'acme:lidar', type: 'registry', env: {} }, {}],
      'found nothing as context.environment, expected an object',
    ],
  ],
  mergeProvisioning: [
    [[undefined], 'found nothing as machine, expected an object'],
    [
      [{ provisioning: {} }, { attributes: {} }],
      'found nothing as manufacturer.provisioning, expected an object',
    ],
  ],
  checkDocument: [
    [[{}], 'found an object as source, expected text or bytes'],
    [['{}', 'machines'], 'found "machines" as kind, expected machine, agent or policy or nothing'],
    [['{}', undefined, 'machine.json'], 'found "machine.json" as context, expected an object'],
  ],
  readAgentConfiguration: [[[{}], 'found an object as source, expected text or bytes']],
  readDeployedReport: [[[undefined], 'found nothing as source, expected text or bytes']],
  readMachine: [
    [[{}], 'found an object as source, expected text or bytes'],
    [[Promise.resolve('{}')], 'found a Promise as source, expected text or bytes'],
    [['{}', 'rover'], 'found "rover" as context, expected an object'],
  ],
  configurationFrom: [
    [[{}], 'found an object as machine, expected text or bytes'],
    [['{}', {}], 'found an object as policy, expected text or bytes or nothing'],
  ],
  readUpdatePolicy: [[[5], 'found the number 5 as source, expected text or bytes']],
  satisfiesRange: [
    [[5, '>=1'], 'found the number 5 as version, expected text'],
    [['1.0.0', null], 'found null as range, expected text'],
  ],
  Poller: [
    [[], 'found nothing as options, expected an object'],
    [
      [{ ...POLLER, file: {} }],
      'found an object as options.file, expected a file of openForPoller()',
    ],
    [
      [{ ...POLLER, configuration: {} }],
      'found an object as options.configuration, expected a function',
    ],
    [
      [{ ...POLLER, registryFor: {} }],
      'found an object as options.registryFor, expected a function',
    ],
    [
      [{ ...POLLER, platform: 'x86_64' }],
      'found "x86_64" as options.platform, expected a Platform of parsePlatform()',
    ],
    [
      [{ ...POLLER, deployedVersion: '1.0.0' }],
      'found "1.0.0" as options.deployedVersion, expected a function or nothing',
    ],
    [
      [{ ...POLLER, intervalMs: '5s' }],
      'found "5s" as options.intervalMs, expected a number or nothing',
    ],
    [
      [{ ...POLLER, clock: Date.now }],
      'found a function as options.clock, expected a Clock or nothing',
    ],
  ],
  Catalogue: [[[undefined], 'found nothing as path, expected text']],
  serveRegistry: [
    [['registry.db', PLACE], 'found "registry.db" as catalogue, expected a Catalogue'],
    [[CATALOGUE, 'http://127.0.0.1'], 'found "http://127.0.0.1" as place, expected an object'],
    [[CATALOGUE, { ...PLACE, port: '80' }], 'found "80" as place.port, expected a number'],
    [
      [CATALOGUE, PLACE, { clock: Date.now }],
      'found a function as options.clock, expected a Clock or nothing',
    ],
  ],
};

/** What parsers, which accept any value, return for one of a wrong type; so do errors, whose arguments are words. */
export const ACCEPT_ANYTHING: Readonly<Record<string, unknown>> = {
  parseVersion: { ok: false, error: { kind: 'bad-version' } },
  parseConstraint: { ok: false, error: { kind: 'bad-constraint' } },
  parseModuleId: { ok: false, error: { kind: 'bad-module-id' } },
  parsePlatform: { ok: false, error: { kind: 'bad-platform' } },
  readDeployed: { kind: 'unknown' },
  readRelease: { ok: false, error: [expect.any(String)] },
  RegistryError: { name: 'RegistryError' },
  SavedListsError: { name: 'SavedListsError' },
  DatabaseError: { name: 'DatabaseError' },
};
