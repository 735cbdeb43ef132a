import type { RecordedHold } from '../../core/decision/operator-hold.ts';
import type { QuarantineEntry } from '../../core/plan/machine-memory.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { MachineState } from '../../store/machine-state.ts';
import type { World } from '../../base/world.ts';

/** The modules and subsystems of this machine, as its last round decided on them; none without a `machine.db`. */
export async function entriesOf(world: World): Promise<readonly LoggedDecision[]> {
  return await inState(world, (state) => state.decisions());
}

/** The versions that this machine refuses. */
export async function quarantineOf(world: World): Promise<readonly QuarantineEntry[]> {
  return await inState(world, (state) => state.memory().quarantine);
}

/** What modules say that must not be stopped for an upgrade of this one, as `--despite` names it. */
export async function vetoesOf(
  named: string,
  world: World,
): Promise<readonly { readonly by: string; readonly name: string }[]> {
  const [{ upgradeOf }, { nameOf }] = await Promise.all([
    import('../../host/requests/upgrade.ts'),
    import('../../host/requests/upgrade-wish.ts'),
  ]);
  const upgrade = upgradeOf(named, world);
  const { vetoes = [] } = (upgrade.ok && upgrade.value.decision?.input.timing) || {};
  return vetoes.map((veto) => ({ by: veto.by, name: nameOf(veto) }));
}

/** What operators hold on this machine. */
export async function holdsOf(world: World): Promise<readonly RecordedHold[]> {
  return await inState(world, (state) => state.memory().holds);
}

/** The module_id of the entry with this name, else the name itself. */
export async function moduleIdOf(named: string, world: World): Promise<string> {
  const entry = (await entriesOf(world)).find(({ name }) => name === named);
  return entry?.moduleId ?? named;
}

async function inState<T>(
  world: World,
  work: (state: MachineState) => readonly T[],
): Promise<readonly T[]> {
  const { usingState } = await import('../../host/open-state.ts');
  const found = usingState(world, 'read', work);
  return found.ok ? found.value : [];
}
