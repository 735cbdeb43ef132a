import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Catalogue } from '../../server/index.ts';
import type { MetricsText, RegistryEvent } from '../../server/registry-options.ts';
import type { RequestObserver } from '../../server/request-observer.ts';
import type { NoticeEvent } from '../../server/notice.ts';
import type { ServerLoad } from '../../server/serve.ts';
import { scrapeOf } from './scrape.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';

/** From a request that changes nothing to a long poll. In seconds. */
const DURATIONS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];
const LONG_POLL = '/v1/changes';

/** The metrics of `registry serve`. Labels have fixed values: no module, no token, no peer. */
export interface RegistryMetrics {
  readonly scrape: () => Promise<MetricsText>;
  readonly observe: RequestObserver;
  readonly onEvent: (event: RegistryEvent) => void;
  readonly onNotice: (event: NoticeEvent) => void;
}

export function registryMetrics(
  catalogue: Catalogue,
  load: () => ServerLoad | undefined,
): RegistryMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  addLoad(registry, catalogue, load);
  return {
    scrape: scrapeOf(registry),
    ...requestMetrics(registers),
    onEvent: eventMetrics(registers),
    onNotice: noticeMetrics(registers),
  };
}

function requestMetrics(registers: Registry[]): Pick<RegistryMetrics, 'observe'> {
  const requests = new Counter({
    name: 'modreg_registry_requests_total',
    help: 'Requests that ended, by address and status; none if the connection ended first',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'modreg_registry_request_duration_seconds',
    help: 'From the arrival of a request to the end of its response',
    labelNames: ['route'],
    buckets: DURATIONS,
    registers,
  });
  const longPolls = new Gauge({
    name: 'modreg_registry_long_polls',
    help: 'Requests that wait for a change',
    registers,
  });
  longPolls.set(0);
  return {
    observe(route) {
      if (route === LONG_POLL) longPolls.inc();
      return ({ method, status, seconds }) => {
        if (route === LONG_POLL) longPolls.dec();
        requests.inc({ route, method, status });
        durations.observe({ route }, seconds);
      };
    },
  };
}

/** Makes counters with one label. */
function counterIn(registers: Registry[]) {
  return <Label extends string>(name: string, help: string, label: Label): Counter<Label> =>
    new Counter({ name: `modreg_registry_${name}_total`, help, labelNames: [label], registers });
}

function passedOverIn(registers: Registry[]): Counter<'what'> {
  const help = 'Messages and reports in the stream of a cluster that cannot be taken';
  const passedOver = counterIn(registers)('passed_over_reports', help, 'what');
  for (const what of ['message', 'report']) passedOver.inc({ what }, 0);
  return passedOver;
}

/** Which events are counted as changes. */
const IS_CHANGE: Readonly<Record<RegistryEvent['kind'], boolean>> = {
  published: true,
  signed: true,
  yanked: true,
  unyanked: true,
  deprecated: true,
  undeprecated: true,
  noted: true,
  uploaded: true,
  refused: false,
  overload: false,
  failed: false,
  'report-passed-over': false,
  'reports-wait': false,
  'reports-go-on': false,
  logs: false,
  'certificate-renewed': false,
  'certificate-kept': false,
  'certificate-warning': false,
  'machine-retired': false,
  'machine-joined': false,
  'trust-stored': false,
  'config-saved': false,
  'config-signed': false,
  'secret-set': false,
  'secret-removed': false,
  'command-given': false,
  rollout: false,
  'rollout-started': false,
  'rollout-halted': false,
  'rollout-resumed': false,
  'rollout-raised': false,
  'rollout-retracted': false,
};

function changesIn(registers: Registry[]): Counter<'kind'> {
  const help =
    'Changes by requests: published, signed, yanked, unyanked, deprecated, undeprecated, noted, uploaded files';
  const changes = counterIn(registers)('changes', help, 'kind');
  for (const [kind, isChange] of Object.entries(IS_CHANGE)) if (isChange) changes.inc({ kind }, 0);
  return changes;
}

function kindOf(error: unknown): string {
  return error instanceof DatabaseError ? error.kind : 'other';
}

function countersIn(registers: Registry[]): {
  readonly changes: Counter<'kind'>;
  readonly passedOver: Counter<'what'>;
  readonly refusals: Counter;
  readonly overload: Counter;
  readonly errors: Counter;
} {
  const counter = counterIn(registers);
  const refusals = counter('refused_changes', 'Refused or failed requests for a change', 'reason');
  const overload = counter('limited', 'Requests and connections refused by a limit', 'limit');
  const errors = counter('database_errors', 'Errors of the registry file, by kind', 'kind');
  const [changes, passedOver] = [changesIn(registers), passedOverIn(registers)];
  return { changes, passedOver, refusals, overload, errors };
}

function eventMetrics(registers: Registry[]): RegistryMetrics['onEvent'] {
  const counters = countersIn(registers);
  return (event) => {
    countEvent(event, counters);
  };
}

function countEvent(event: RegistryEvent, to: ReturnType<typeof countersIn>): void {
  const { kind } = event;
  if (IS_CHANGE[kind]) to.changes.inc({ kind });
  if (kind === 'refused') to.refusals.inc({ reason: event.reason ?? `${event.status}` });
  if (kind === 'overload') to.overload.inc({ limit: event.limit }, event.count);
  if (kind === 'failed') to.errors.inc({ kind: kindOf(event.error) });
  if (kind === 'report-passed-over')
    to.passedOver.inc({ what: event.machine === undefined ? 'message' : 'report' });
}

function noticeMetrics(registers: Registry[]): RegistryMetrics['onNotice'] {
  const help = 'Attempts to send a notice, and notices that are given up';
  const notices = counterIn(registers)('notices', help, 'result');
  for (const result of ['sent', 'failed', 'refused', 'expired', 'dropped'])
    notices.inc({ result }, 0);
  return (event) => {
    switch (event.kind) {
      case 'notice-sent':
        return notices.inc({ result: 'sent' });
      case 'notice-failed':
        return notices.inc({ result: 'failed' });
      case 'notice-refused':
        return notices.inc({ result: 'refused' });
      case 'notice-expired':
        return notices.inc({ result: 'expired' });
      case 'notice-dropped':
        return notices.inc({ result: 'dropped' }, event.count);
      case 'notices-failed':
    }
  };
}

/** What is read when the metrics are. A value that is not known has no line. */
function addLoad(
  registry: Registry,
  catalogue: Catalogue,
  load: () => ServerLoad | undefined,
): void {
  for (const [name, help, field] of LOADS) {
    addGauge(registry, name, help, () => load()?.[field]);
  }
  addGauge(registry, 'sequence', 'The sequence number of the last change, by any process', () => {
    try {
      return catalogue.sequence();
    } catch (error) {
      if (error instanceof DatabaseError) return undefined;
      throw error;
    }
  });
}

const LOADS = [
  ['connections', 'Open connections', 'connections'],
  ['unsent_bytes', 'Bytes of responses that wait until clients read them', 'unsentBytes'],
  ['healthy', '1 if GET /healthz is 200, else 0', 'healthy'],
  ['certificate_expiry_timestamp_seconds', 'When the TLS certificate expires', 'certificateExpiry'],
  ['notices_waiting', 'Notices that no receiver of --notify has accepted yet', 'waitingNotices'],
] as const satisfies readonly (readonly [string, string, keyof ServerLoad])[];

function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | undefined,
): void {
  const metric = new Gauge({
    name: `modreg_registry_${name}`,
    help,
    registers: [],
    collect() {
      const value = read();
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
  registry.registerMetric(metric);
}
