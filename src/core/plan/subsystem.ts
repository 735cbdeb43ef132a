import type { Constraint } from '../version/constraint.ts';
import type { Requirement } from '../decision/decision.ts';
import type { AgentConfiguration } from '../machine/machine.ts';
import type { ModuleId } from '../releases/module-id.ts';

/** A subsystem that has versions, as the agent configuration spells it. */
export type VersionedSubsystem = 'platform-agent' | 'platform-server';

/** The channels that each subsystem may follow. The first is the default (Agent configuration, release_channel). */
export const RELEASE_CHANNELS: {
  readonly 'platform-agent': readonly ['stable'];
  readonly 'platform-server': readonly ['stable', 'latest'];
} = { 'platform-agent': ['stable'], 'platform-server': ['stable', 'latest'] };

/** The subsystems that must restart before a new version is used (D26). */
export const RESTARTED_BY_UPDATE: Readonly<
  Record<VersionedSubsystem, readonly VersionedSubsystem[]>
> = {
  'platform-agent': ['platform-agent', 'platform-server'],
  'platform-server': ['platform-server'],
};

/** The module whose release list contains the versions of a subsystem. */
export const SUBSYSTEM_MODULES: Readonly<Record<VersionedSubsystem, ModuleId>> = {
  'platform-agent': 'platform:agent' as ModuleId,
  'platform-server': 'platform:server' as ModuleId,
};

/** A subsystem, and what the agent configuration requires of it. */
export type SubsystemTarget = {
  /** What the agent configuration requires. */
  readonly requirement: Requirement;
  /** The constraint of the release channel, whether or not the subsystem is pinned. */
  readonly channel: Constraint;
} & (
  | {
      /** As the agent configuration spells it. */
      readonly name: 'platform-agent' | 'platform-server';
      /** The channel that it follows unless it is pinned. */
      readonly releaseChannel: 'stable' | 'latest';
      /** The option that determines `requirement`. */
      readonly option: 'pin_url' | 'pin_version' | 'release_channel';
    }
  | {
      /** As the agent configuration spells it. */
      readonly name: 'platform-agent' | 'platform-server' | 'agent-provisioning' | 'agent-syscfg';
      readonly option: 'disable_subsystem';
    }
);

/** The reference names the channels but does not define their content, so this mapping is an assumption. */
const CHANNELS = {
  stable: { kind: 'latest' },
  latest: { kind: 'latest-with-prerelease' },
} as const satisfies Readonly<Record<'stable' | 'latest', Constraint>>;

/**
 * The subsystems that have versions, and those that are disabled. `pin_url` takes precedence over `pin_version`, and
 * `pin_version` over the channel.
 */
export function subsystemTargets(configuration: AgentConfiguration): SubsystemTarget[] {
  const { platformAgent, platformServer, provisioning, systemConfiguration } = configuration;
  const server = targetOf('platform-server', platformServer);
  const targets = [
    targetOf('platform-agent', platformAgent),
    platformServer.disableSubsystem ? disabled('platform-server') : server,
  ];
  if (provisioning.disableSubsystem) targets.push(disabled('agent-provisioning'));
  if (systemConfiguration.disableSubsystem) targets.push(disabled('agent-syscfg'));
  return targets;
}

function disabled(name: SubsystemTarget['name']): SubsystemTarget {
  const requirement = { kind: 'disabled' } as const;
  return { name, option: 'disable_subsystem', requirement, channel: CHANNELS.stable };
}

function targetOf(
  name: VersionedSubsystem,
  { pinUrl, pinVersion, releaseChannel }: AgentConfiguration['platformAgent' | 'platformServer'],
): SubsystemTarget {
  const channel = CHANNELS[releaseChannel];
  if (pinUrl !== undefined) {
    const requirement = { kind: 'pin-url', url: pinUrl, shadowed: pinVersion } as const;
    return { name, releaseChannel, option: 'pin_url', requirement, channel };
  }
  if (pinVersion !== undefined) {
    const requirement = { kind: 'patch', version: pinVersion } as const;
    return { name, releaseChannel, option: 'pin_version', requirement, channel };
  }
  return { name, releaseChannel, option: 'release_channel', requirement: channel, channel };
}
