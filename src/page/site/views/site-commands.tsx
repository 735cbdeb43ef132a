import type { FC } from 'hono/jsx';
import { COMMAND_KINDS, type CommandKind } from '../../../core/trust/command-text.ts';
import { excerpt } from '../../../core/text/quote.ts';
import type { MachineCommands } from '../../../site/given-commands.ts';
import { partsOfOutcome, signersOf } from '../../../site/command-words.ts';
import { isOffered } from '../../views/signed-in.ts';
import { At, machinePath } from './site-words.tsx';

interface CommandWords {
  readonly link: string;
  readonly title: string;
  readonly button: string;
  readonly consequences: readonly string[];
}

const WORDS: Readonly<Record<CommandKind, CommandWords>> = {
  hold: {
    link: 'Hold…',
    title: 'Hold',
    button: 'Hold',
    consequences: [
      'Nothing of it is installed, upgraded, downgraded or restarted until the hold ends. A rollback is not held.',
      'It takes the place of an earlier hold that a site made, and of none that was made on the machine.',
    ],
  },
  unhold: {
    link: 'End a hold…',
    title: 'End a hold',
    button: 'End the hold',
    consequences: ['It ends a hold that a site made, and none that was made on the machine.'],
  },
  upgrade: {
    link: 'Upgrade now…',
    title: 'Upgrade now',
    button: 'Upgrade now',
    consequences: [
      'The machine reads the list of the module, and makes the upgrade that its config selects now, not in its next window.',
      'No window, blackout, cooldown, ceiling, answer or busy server holds it then, once, for an hour at most. An operator’s hold and a veto do.',
    ],
  },
  restart: {
    link: 'Restart…',
    title: 'Restart',
    button: 'Restart',
    consequences: [
      'The machine restarts it as soon as its policy allows, as modreg restart does there.',
    ],
  },
  rollback: {
    link: 'Roll back…',
    title: 'Roll back',
    button: 'Roll back',
    consequences: [
      'The machine quarantines the deployed version, and goes back to the one before it.',
      'Lifting the quarantine ends that.',
    ],
  },
  unquarantine: {
    link: 'Lift a quarantine…',
    title: 'Lift a quarantine',
    button: 'Lift the quarantine',
    consequences: [
      'The machine selects this version again where its config does, also if a person of the machine put it into quarantine.',
      'The machine refuses it for a version that is not in quarantine there.',
    ],
  },
};

/** The commands to a machine with what became of them, and those that can be given. */
export const CommandsView: FC<{ readonly list: MachineCommands; readonly now: number }> = ({
  list: { machine, commands, warning },
  now,
}) => (
  <>
    <h1>Commands to {excerpt(machine)}</h1>
    <p class="actions">
      {isOffered('operator')
        ? COMMAND_KINDS.map((kind) => (
            <a href={`${machinePath(machine)}/commands/${kind}`}>{WORDS[kind].link}</a>
          ))
        : null}
      <a href={machinePath(machine)}>{excerpt(machine)}</a>
    </p>
    {warning === undefined ? null : (
      <p>
        {excerpt(machine)}: {warning}
      </p>
    )}
    {commands.length === 0 ? <p>No command was given.</p> : null}
    <ol>
      {commands.map((one) => (
        <Given command={one} now={now} />
      ))}
    </ol>
  </>
);

const STATES = {
  waits: 'waiting',
  done: 'done',
  refused: 'failed',
  expired: 'failed',
  lost: 'failed',
  dropped: 'failed',
} as const;

/** A hundred answers of the longest kind would make a page of 45 kB. `modreg fleet commands` has them whole. */
const LONGEST_ANSWER = 400;

const Given: FC<{
  readonly command: MachineCommands['commands'][number];
  readonly now: number;
}> = ({ command, now }) => {
  const { state, more } = partsOfOutcome(command);
  return (
    <li>
      <At ms={Date.parse(command.at)} now={now} /> {command.number} <b>{command.kind}</b>{' '}
      {excerpt(command.module ?? 'the machine')}
      {command.version ? ` ${excerpt(command.version)}` : ''}
      {command.for === null ? '' : ` for ${excerpt(command.for)}`}, by{' '}
      {`${excerpt(command.by)}${signersOf(command)}: ${excerpt(command.reason)} `}
      <span class="state" data-state={STATES[state]}>
        {state}
      </span>{' '}
      {excerpt(more, LONGEST_ANSWER)}
    </li>
  );
};

/** What a command does, and the form that gives it. */
export const CommandView: FC<{
  readonly list: MachineCommands;
  readonly form: {
    readonly kind: CommandKind;
    readonly key: string;
    readonly module: string | undefined;
  };
}> = ({ list: { machine, names }, form: { kind, key, module } }) => {
  const path = `${machinePath(machine)}/commands`;
  const { title, button, consequences } = WORDS[kind];
  return (
    <>
      <h1>
        {title}: {excerpt(machine)}
      </h1>
      <ul class="consequences">
        {[...consequences, ...FOR_ALL].map((one) => (
          <li>{one}</li>
        ))}
      </ul>
      <form method="post" action={`${path}/${kind}`}>
        <input type="hidden" name="key" value={key} />
        <What kind={kind} names={names} module={module} />
        {kind === 'hold' ? <Term /> : null}
        {kind === 'unquarantine' ? <Version /> : null}
        <p>
          <label>
            reason, which the machine and people see{' '}
            <input name="reason" required maxlength={200} size={40} />
          </label>
        </p>
        <button>{button}</button>
      </form>
      <p>
        <a href={path}>Do nothing</a>
      </p>
    </>
  );
};

const Term: FC = () => (
  <p>
    <label>
      for (for example 12h, at most 30d) <input name="for" value="12h" required />
    </label>
  </p>
);

const Version: FC = () => (
  <p>
    <label>
      version, as it was published <input name="version" required maxlength={256} />
    </label>
  </p>
);

const FOR_ALL = [
  'A machine that follows this site takes it at once if it waits, else in its next round, and within an hour.',
  'On a machine whose policy names a trust document, this page can only hold: operators sign the others with modreg fleet.',
];

const What: FC<{
  readonly kind: CommandKind;
  readonly names: readonly string[];
  readonly module: string | undefined;
}> = ({ kind, names, module }) => (
  <p>
    <label>
      what{' '}
      <select name="module">
        {kind === 'hold' || kind === 'unhold' ? <option value="">the whole machine</option> : null}
        {names.map((name) => (
          <option value={name} selected={name === module}>
            {name}
          </option>
        ))}
        {kind === 'restart' ? <option value="platform-server">platform-server</option> : null}
      </select>
    </label>
  </p>
);
