import { NOT_ASKING, newCommand, type CommandList } from '../registry/command-documents.ts';
import type { CommandKind } from '../core/trust/command-text.ts';
import { usage } from '../base/problem.ts';
import { commandFault, shownCommand } from '../server/commands/known-command.ts';
import { unsignedFault } from '../server/commands/unsigned-fault.ts';
import { hasReportedPin } from '../server/fleet/reported-pin.ts';
import { readingBy } from '../server/routes/reading-by.ts';
import { knownMachine } from './known-machine.ts';
import type { OnChange } from './on-change.ts';
import type { Answer, SiteFiles } from './site-files.ts';

/** The commands to a machine, and what they can be about. */
export interface MachineCommands {
  readonly machine: string;
  /** The names of its module entries, as it reported them. */
  readonly names: readonly string[];
  /** The newest 100, the newest first. */
  readonly commands: CommandList['commands'];
  /** Why it may never take one, or takes only signed ones; undefined for another. */
  readonly warning: string | undefined;
}

/** A command as a form has it. */
interface CommandForm {
  /** The same for each repetition of the form. */
  readonly key: string;
  readonly kind: CommandKind;
  readonly module: string | undefined;
  readonly for: string | undefined;
  readonly version: string | undefined;
  readonly reason: string;
}

/** Commands to the machines of a site, as `modreg fleet` gives them (D321, D437). */
export interface SiteCommands {
  commands(machine: string): Answer<MachineCommands>;
  /** Gives a command. `by` is who. */
  give(machine: string, form: CommandForm, by: string): Answer<void>;
}

const readCommand = readingBy(newCommand);

export function commandsOf(files: SiteFiles, onChange: OnChange): SiteCommands {
  return {
    commands(machine) {
      const known = knownMachine(files, machine);
      if (!known.ok) return known;
      const stored = files.catalogue.configs.commands;
      const commands = stored.all(machine).map((one) => shownCommand(one, files.now()));
      const pinned = files.fleet.read((sql) => hasReportedPin(sql, machine));
      const unsigned = unsignedFault(pinned, { kind: 'restart' });
      const warning = stored.hasAsked(machine) ? unsigned : NOT_ASKING;
      return { ok: true, value: { machine, names: known.value, commands, warning } };
    },
    give: (machine, form, by) => given(files, onChange, { machine, form, by }),
  };
}

interface Wished {
  readonly machine: string;
  readonly form: CommandForm;
  readonly by: string;
}

function given(files: SiteFiles, onChange: OnChange, { machine, form, by }: Wished): Answer<void> {
  const known = knownMachine(files, machine);
  if (!known.ok) return known;
  const { module, for: term, version } = form;
  const asked = { ...form, module: module ?? null, for: term ?? null, version: version ?? null };
  const read = readCommand(asked);
  const fault = read.ok ? commandFault(read.value) : read.error.join('; ');
  if (!read.ok || fault !== undefined) {
    return { ok: false, error: usage(`${fault}; nothing was given`) };
  }
  const pinned = files.fleet.read((sql) => hasReportedPin(sql, machine));
  // The machine would refuse it (D406).
  const unsigned = unsignedFault(pinned, read.value);
  if (unsigned !== undefined)
    return refused(`${machine}: ${unsigned}; nothing was given`, KEY_HINT);
  const { key, kind, reason, expires_in: expiresIn } = read.value;
  const at = files.now();
  const about = { machine, key, kind, reason, author: by, at };
  const wish = { ...about, module, term, version, expiresAt: at + expiresIn * 1000 };
  const result = files.change((catalogue) => catalogue.configs.commands.give(wish));
  if (result.kind === 'full') {
    return refused(
      `${result.waiting} commands of ${machine} wait already: nothing was given`,
      FULL_HINT,
    );
  }
  const { number } = result.command;
  if (result.kind === 'given') onChange('command-given', { machine, number, command: kind }, by);
  return { ok: true, value: undefined };
}

const FULL_HINT = 'they expire within the time that each was given for';
const KEY_HINT = 'modreg fleet gives a command with the key of an operator';

function refused(message: string, hint: string): Answer<never> {
  return { ok: false, error: { severity: 'error', kind: 'registry-refused', message, hint } };
}
