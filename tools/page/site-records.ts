import { systemClock } from '../../src/registry/clock.ts';
import { readLogs } from '../../src/server/logs/received-records.ts';
import { logsPath, RegistryLogs } from '../../src/server/logs/registry-logs.ts';
import type { Catalogue } from '../../src/server/index.ts';
import { exported, line } from '../../test/support/otlp-logs.ts';

/** The machine of which the site has records. */
export const RECORDED = 'rover-07';
const REVISIONS = 60;
const COMMANDS = 100;
const LINES = 1000;
const MINUTE = 60_000;

/** Fills what a site keeps of a machine: documents of the modules with these names, commands, and its log. */
export async function addRecords(
  catalogue: Catalogue,
  { names, at }: { readonly names: readonly string[]; readonly at: number },
): Promise<void> {
  const { configs } = catalogue;
  const about = { machine: RECORDED, author: 'token t2 (ops)' };
  for (let minor = 0; minor < REVISIONS; minor++) {
    const modules = names.map((name) => {
      const version = `1.${minor}.*`;
      return { type: 'registry', name: `acme_${name}`, module_id: `acme:${name}`, version };
    });
    const config = JSON.stringify({ modules }, undefined, 2);
    const reason = `the filter of week ${minor}`;
    configs.save({ ...about, config, policy: undefined, basedOn: minor, reason, at: at + minor });
  }
  for (let count = 0; count < COMMANDS; count++) {
    const what = { kind: 'hold', module: 'acme_lidar', term: '1h', version: undefined } as const;
    const reason = `the fair of week ${count}`;
    const given = { ...about, ...what, key: `${count}`, reason, at: at + count * MINUTE };
    configs.commands.give({ ...given, expiresAt: given.at + MINUTE });
  }
  await addLog(catalogue.path, at);
}

async function addLog(path: string, at: number): Promise<void> {
  const logs = new RegistryLogs(logsPath(path), { clock: systemClock });
  const lines = Array.from({ length: LINES }, (_none, place) =>
    line(`round ${place}: the lidar has seen ${place * 7} points of the hall`, { at: at + place }),
  );
  const read = readLogs(JSON.parse(exported(lines, RECORDED)));
  if (!read.ok) throw new Error(read.error);
  await logs.take({ machine: RECORDED, records: read.value.records }, 0);
  logs.close();
}
