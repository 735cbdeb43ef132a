import { existsSync } from 'node:fs';
import type { Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import { formatTime } from '../core/text/rfc3339.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import type { RetiredAnswer } from '../registry/fleet-documents.ts';
import { FleetFile, fleetPath } from '../server/fleet/fleet-file.ts';
import { retire, type RetiredMachine, type Retirement } from '../server/fleet/retirement.ts';
import { withCatalogue } from './catalogue-options.ts';
import { withFleet } from './fleet-options.ts';
import { TWO_REGISTRIES, type ChangeOptions } from './remote-registry.ts';

/** Takes a machine out of counts and rollouts until it reports again, in a file or over HTTP (D83). */
export async function retireMachine(
  retirement: Retirement,
  options: ChangeOptions,
  world: World,
): Promise<Result<RetiredAnswer, Problem>> {
  const { machine } = retirement;
  if (options.db !== undefined) {
    if (options.registry !== undefined) return { ok: false, error: TWO_REGISTRIES };
    return retireInFile(retirement, options, world);
  }
  const work: Parameters<typeof withFleet<RetiredAnswer>>[2] = async (client) => {
    const retired = await client.retire(machine);
    return retired ? { ok: true, value: retired } : { ok: false, error: unknown(machine) };
  };
  return await withFleet(options, world, work, 'retire machines of');
}

function retireInFile(
  retirement: Retirement,
  options: ChangeOptions,
  world: World,
): Result<RetiredAnswer, Problem> {
  const { machine } = retirement;
  return withCatalogue(options, world, { mode: 'write' }, (catalogue) => {
    const path = fleetPath(catalogue.path);
    if (!existsSync(path)) return { ok: false, error: unknown(machine) };
    const fleet = new FleetFile(path, () => world.clock());
    try {
      // The other fronts would not know of it.
      if (fleet.followed().stream !== '') return { ok: false, error: OF_A_FRONT };
      const now = world.clock();
      const retired = fleet.write((sql) => retire(sql, retirement, now));
      if (retired?.at === now) {
        const noted = { kind: 'machine-retired', machine } as const;
        catalogue.configs.note({ ...noted, author: retirement.by, at: now });
      }
      return retired
        ? { ok: true, value: answerOf(retired) }
        : { ok: false, error: unknown(machine) };
    } finally {
      fleet.close();
    }
  });
}

const OF_A_FRONT: Problem = {
  severity: 'error',
  kind: 'usage',
  message:
    '--db is the file of a front of a cluster, and the other fronts would not know of the change',
  hint: 'pass --registry with the address of the cluster; nothing was changed',
};

function answerOf({ machine, at, by }: RetiredMachine): RetiredAnswer {
  return { id: machine, retired: { at: formatTime(at), by } };
}

function unknown(machine: string): Problem {
  return {
    severity: 'error',
    kind: 'unknown-reference',
    message: `no machine has reported as ${quote(machine)}, so none was retired`,
    hint: 'modreg fleet machines lists the machines',
  };
}
