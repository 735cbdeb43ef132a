import type {
  MachineReport,
  ReportedModule,
  ReportedOutcome,
  ReportedState,
} from '../../src/registry/machine-report.ts';

/** The state of a lidar that is up to date. */
export function reportedModule(fields: Partial<ReportedModule> = {}): ReportedModule {
  return {
    kind: 'module',
    name: 'acme_lidar',
    module_id: 'acme:lidar',
    constraint: '1.*',
    deployed: '1.2.9',
    target: null,
    decision: 'up-to-date',
    reason: null,
    stops: ['lidar0'],
    facts: null,
    ...fields,
  };
}

export function reportedState(
  number: number,
  ...modules: readonly Partial<ReportedModule>[]
): ReportedState {
  const at = '2026-11-21T01:02:03Z';
  const platform = 'linux/arm64';
  return { number, at, modreg: '0.2.0', platform, modules: modules.map(reportedModule) };
}

function reportedOutcome(number: number, fields: Partial<ReportedOutcome> = {}): ReportedOutcome {
  return {
    number,
    at: '2026-11-21T01:02:03Z',
    action: `a1b2-${number}`,
    kind: 'module',
    name: 'acme_lidar',
    module_id: 'acme:lidar',
    direction: 'upgrade',
    from: '1.2.8',
    to: '1.2.9',
    result: 'done',
    reason: null,
    ...fields,
  };
}

/** A report of the outcomes with these numbers. Those of another queue are of other actions. */
export function machineReport(
  numbers: readonly number[],
  fields: Partial<MachineReport> = {},
): MachineReport {
  const { queue } = fields;
  const outcomes = numbers.map((number) =>
    reportedOutcome(number, queue === undefined ? {} : { action: `${queue}-${number}` }),
  );
  const after = (numbers[0] ?? 1) - 1;
  const to = numbers.at(-1) ?? after;
  return { queue: 'queue-01', instance: 'process-A', after, to, outcomes, ...fields };
}
