import { isDeepStrictEqual } from 'node:util';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { appliedEvents, type AppliedEvents } from '../../src/cluster/applied-events.ts';
import { decodeEvent, encodeEvent, subjectOf, type FleetEvent } from '../../src/cluster/event.ts';
import { decodeBatch, encodeBatch } from '../../src/cluster/report-batch.ts';
import { checkRegistry } from '../../src/server/backup/registry-check.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import type { ChangeLog } from '../../src/server/catalogue/change-log.ts';
import { moduleEntries } from '../../src/registry/formats/module-document.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { DatabaseError } from '../../src/sqlite/database-error.ts';
import { moduleId } from '../support/ask.ts';
import { decodeEntries } from '../support/decoded-list.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { batchTarget } from './batches.ts';
import { changes } from './documents.ts';
import { listChanges } from './list-documents.ts';
import { wrongList } from './lists.ts';
import { NOW } from './report-texts.ts';
import { emptyFolder } from './scratch.ts';
import type { Target } from './target.ts';

type Change = (bytes: Buffer) => Buffer;

/** A message of one of the two streams of a cluster. */
interface Message {
  readonly stream: 'releases' | 'reports';
  /** The JSON of an event, or of a batch of reports. */
  readonly json: Buffer;
  /** Changes the bytes of a batch once they are compressed. */
  readonly damage: Change;
}

const ID = moduleId('acme:lidar');
const HONEST = moduleId('honest:lidar');

function published(fields: object, id: typeof ID = ID): FleetEvent {
  const release = readRelease({ version: '1.0.0', ...fields });
  if (!release.ok) throw new Error(release.error.join('; '));
  const at = { after: 0, at: NOW };
  const start = { kind: 'started', ...at, salt: 's', percent: 5, share: 0.05 } as const;
  const isRolling = release.value.rollout !== undefined;
  const more = { start: isRolling ? start : undefined, now: NOW };
  return { kind: 'publish', moduleId: id, release: release.value, ...more };
}

const ROLLOUT = { kind: 'rollout', moduleId: ID, version: '1.0.2', soakMs: undefined } as const;
const FAILURES = { failed: 1, silent: 2 };

/** The events of a cluster. Each follows those before it. */
const EVENTS: readonly FleetEvent[] = [
  published({}),
  published({ version: '1.0.1', published_at: '2025-04-07T09:00:00Z', yanked: 'burns' }),
  published({ version: '1.0.2', rollout: { soak_ms: 0 } }),
  { kind: 'yank', moduleId: ID, version: '1.0.0', reason: 'burns', now: NOW },
  { kind: 'yank', moduleId: ID, version: '1.0.0', reason: null, now: NOW },
  { ...ROLLOUT, event: { kind: 'raised', after: 1, at: NOW, percent: 50, share: 0.5 } },
  { ...ROLLOUT, event: { kind: 'halted', after: 1, at: NOW, because: 'x', failures: FAILURES } },
  { ...ROLLOUT, event: { kind: 'resumed', after: 2, at: NOW, acknowledged: FAILURES } },
  { ...ROLLOUT, event: { kind: 'retracted', after: 1, at: NOW, because: 'bad' } },
  { ...ROLLOUT, event: { kind: 'completed', after: 1, at: NOW } },
];

const BATCHES: readonly object[] = [
  { id: 'b1', at: NOW, reports: [{ machine: 'm-1', report: machineReport([1]) }] },
  {
    id: 'b2',
    at: NOW,
    reports: [2, 3].map((number) => ({
      machine: 'm-2',
      report: machineReport([number], { state: reportedState(number, {}) }),
    })),
  },
];

const TEXTS: readonly (readonly [Message['stream'], string])[] = [
  ...EVENTS.map((event) => ['releases', encodeEvent(event)] as const),
  ...BATCHES.map((batch) => ['reports', JSON.stringify({ schema: 1, ...batch })] as const),
];

const NUMBERS = [
  '0',
  '-1',
  '1.5',
  '1e308',
  '9007199254740991',
  '9007199254740992',
  '8.64e15',
  '"x"',
];
const TIMES = ['-000001-12-31T00:01:00Z', '+010000-01-01T23:58:59Z', '0000-01-01T00:00:00+23:59'];

/** Another number in place of one, or a publish time that no list can have. */
const otherValues: typeof changes = fc
  .tuple(fc.noBias(fc.nat()), fc.constantFrom(...NUMBERS), fc.constantFrom(...TIMES))
  .map(([at, number, time]) => (bytes: Buffer) => {
    const text = bytes
      .toString()
      .replace(/\d{4}-\d\d-\d\dT[^"]*/, (known) => (at % 3 === 0 ? time : known));
    const places = [...text.matchAll(/(?<=":)-?\d[\d.e]*/g)];
    const place = places[at % places.length];
    if (!place) return Buffer.from(text);
    const { index } = place;
    return Buffer.from(text.slice(0, index) + number + text.slice(index + place[0].length));
  });

const messages: fc.Arbitrary<Message> = fc
  .tuple<[readonly [Message['stream'], string], Change[], Change]>(
    fc.constantFrom(...TEXTS),
    fc.array(fc.oneof(otherValues, otherValues, listChanges), { maxLength: 2 }),
    fc.oneof(
      { weight: 9, arbitrary: fc.constant<Change>((bytes) => bytes) },
      { weight: 1, arbitrary: changes },
    ),
  )
  .map(([[stream, text], list, damage]) => ({
    stream,
    json: list.reduce<Buffer>((bytes, change) => change(bytes), Buffer.from(text)),
    damage,
  }));

/** A front of this modreg, whichever arguments this takes. */
const following: (log: ChangeLog, onMended: () => void) => AppliedEvents = appliedEvents;

async function judgeMessages(inputs: readonly Message[]): Promise<string | undefined> {
  await Promise.resolve();
  const path = `${emptyFolder('following')}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create' });
  const fleet = new FleetFile(':memory:', () => NOW);
  try {
    const { log } = catalogue;
    const events = following(log, () => undefined);
    const apply = (body: string, subject: string): string | undefined => {
      const sequence = log.last() + 1;
      return events.apply({ sequence, subject, id: `${sequence}`, body });
    };
    for (const event of [
      { kind: 'begin', history: 'fuzz' } as const,
      published({}, HONEST),
      ...EVENTS.slice(0, 3),
    ]) {
      const why = apply(encodeEvent(event), subjectOf(event));
      if (why !== undefined) return `an honest event: ${why}`;
    }
    const before = catalogue.document(HONEST)?.bytes;
    for (const message of inputs) {
      const wrong =
        message.stream === 'reports'
          ? wrongBatch(fleet, message, log.last())
          : wrongEvent(message.json.toString(), apply);
      if (wrong !== undefined) return wrong;
    }
    if (!isDeepStrictEqual(before, catalogue.document(HONEST)?.bytes)) {
      return 'the list of another module changed';
    }
    return wrongCatalogue(catalogue);
  } finally {
    fleet.close();
    catalogue.close();
  }
}

/** A front holds an event back that throws, and changes nothing; after a DatabaseError, it would try forever. */
function wrongEvent(
  text: string,
  apply: (body: string, subject: string) => string | undefined,
): string | undefined {
  if (!isChange(text)) return undefined;
  try {
    const why = apply(text, 'modreg.release.acme.lidar');
    return why === undefined ? undefined : `accepted, and not applied: ${why}`;
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    return undefined;
  }
}

/** Whether the text is an accepted change of a module. */
function isChange(text: string): boolean {
  if (!decodeEvent(text).ok) return false;
  const { kind } = Object(JSON.parse(text)) as { kind: string };
  return kind !== 'begin' && kind !== 'rows';
}

function wrongBatch(
  fleet: FleetFile,
  { json, damage }: Message,
  sequence: number,
): string | undefined {
  const shared = { stream: 'one', sequence };
  const batch = decodeBatch(damage(zstdCompressSync(json)));
  if (batch.ok) fleet.takeShared({ ...shared, ...batch.value });
  const machine = 'honest';
  const own = decodeBatch(
    encodeBatch({ id: 'own', at: NOW, reports: [{ machine, report: machineReport([1]) }] }),
  );
  if (!own.ok) return own.error;
  const [answer] = fleet.takeShared({ ...shared, ...own.value });
  return answer?.kind === 'known' ? undefined : `an honest report is answered with ${answer?.kind}`;
}

function wrongCatalogue(catalogue: Catalogue): string | undefined {
  for (const id of catalogue.modules()) {
    const { bytes = Buffer.of(), count } = catalogue.document(id) ?? {};
    const list = decodeEntries(moduleEntries(JSON.parse(Buffer.from(bytes).toString()), id));
    const wrong = wrongList(list) ?? list.dropped.at(0);
    if (wrong !== undefined) return `a machine reads ${id}: ${wrong}`;
    const read = [...list.records].length;
    if (read !== count) return `a machine reads ${read} of ${count} releases of ${id}`;
  }
  const { findings } = checkRegistry(catalogue.path);
  return findings.length > 0 ? `verify: ${findings.join('; ')}` : undefined;
}

export const STREAM_MESSAGES: readonly Target[] = [
  batchTarget({
    name: 'stream-message',
    faults: 'T302',
    perMille: 60,
    inputs: messages,
    size: 200,
    judge: judgeMessages,
    show: ({ stream, json, damage }) => {
      const bytes = stream === 'reports' ? damage(zstdCompressSync(json)).toString('hex') : '';
      return `${stream}: ${json.toString('latin1')}${bytes.slice(0, 400)}`;
    },
  }),
];
