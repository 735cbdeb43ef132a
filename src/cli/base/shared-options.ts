import { Option, type Command } from 'commander';

const REGISTRY_POLICY =
  'an update policy; only its registry, trust, allow_http and max_index_age are used';
/** The argument of a command about this machine (D290). */
export const MACHINE = [
  '[machine.json]',
  'the machine config (default: the one that the agent or poller of this machine used last, else /etc/modreg/machine.json, else machine.json)',
] as const;
export const WHOLE_POLICY = 'the update policy (default: policy.json beside the machine config)';

export function withListOptions(command: Command, policy: string = REGISTRY_POLICY): Command {
  return withRegistryOptions(withCommonOptions(command), policy)
    .option('--platform <platform>', "linux/amd64 or linux/arm64 (default: this machine's)")
    .option(
      '--at <time>',
      "answer as of this time, such as +12h, tomorrow, 2026-11-21T01:02:03Z or '2026-11-22T06:00 Europe/Berlin'",
    )
    .option(
      '--max-age <duration>',
      'use a saved list that was confirmed no longer ago than this, such as 5m',
    )
    .option('--offline', 'contact no registry; answer from the saved list');
}

export function withRegistryOptions(command: Command, policy: string = REGISTRY_POLICY): Command {
  return command
    .option(
      '--registry <address>',
      'https://host, npm:https://host, oci:https://host, github:owner/name, a folder or a .db file (default: $MODREG_REGISTRY, else the registry of the policy, else $PLATFORM_HOME/registry.db, else for resolve and compare the built-in samples)',
    )
    .option('--policy <file>', policy);
}

export function withCommonOptions(command: Command): Command {
  return command
    .option('--json', 'print one line of JSON; errors are JSON too, on stderr')
    .addOption(
      new Option('--color <when>', 'when to colour the output')
        .choices(['auto', 'always', 'never'])
        .default('auto'),
    )
    .option('--debug', 'print the stack of an internal error');
}
