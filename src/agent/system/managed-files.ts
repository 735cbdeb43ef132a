import { mergeProvisioning } from '../../config/provisioning.ts';
import type { AgentConfiguration } from '../../core/machine/machine.ts';
import { hotspotProfile, networkProfile, OWN_FILE, type Profile } from './keyfile.ts';

/** What a managed file belongs to; it determines what must be told after a change. */
export type Subject = 'networks' | 'journal' | 'upgrades';

/** A file that the agent keeps as the configuration says. */
export interface ManagedFile {
  /** Absolute, below the root of the machine. */
  readonly path: string;
  readonly subject: Subject;
  readonly mode: number;
  readonly content: string;
}

/** What the configuration says about the system: its files, and the profiles that roaming uses. */
export interface SystemTarget {
  readonly files: readonly ManagedFile[];
  /** The networks to try, the highest priority first; empty unless roaming is on. */
  readonly networks: readonly Profile[];
  /** Undefined without a password. */
  readonly hotspot: Profile | undefined;
}

const CONNECTIONS = '/etc/NetworkManager/system-connections';
const JOURNAL_FILE = '/etc/systemd/journald.conf.d/90-modreg.conf';
/** After `50unattended-upgrades`, whose origins it adds to. */
const UPGRADES_FILE = '/etc/apt/apt.conf.d/52modreg-upgrades';
const KEYFILE = new RegExp(`^${CONNECTIONS}/modreg-(?:[0-9a-f]{16}|hotspot)\\.nmconnection$`);
const PRIVATE = 0o600;
const PUBLIC = 0o644;

/** What the file at `path` belongs to; undefined if modreg never writes it. */
export function subjectOf(path: string): Subject | undefined {
  if (path === JOURNAL_FILE) return 'journal';
  if (path === UPGRADES_FILE) return 'upgrades';
  return KEYFILE.test(path) ? 'networks' : undefined;
}

/** What a machine's configuration and its manufacturer's say about the system. */
export function systemTarget(
  agent: AgentConfiguration,
  manufacturer: AgentConfiguration | undefined,
  hostName: string,
): SystemTarget {
  const profiles = profilesOf(agent, manufacturer, hostName);
  const { networks, hotspot } = profiles;
  const keyfiles = [...networks, ...(hotspot ? [hotspot] : [])].map(
    ({ id, content }): ManagedFile => ({
      path: `${CONNECTIONS}/${id}.nmconnection`,
      subject: 'networks',
      mode: PRIVATE,
      content,
    }),
  );
  return { ...profiles, files: [...keyfiles, ...fragments(agent.systemConfiguration)] };
}

function profilesOf(
  agent: AgentConfiguration,
  manufacturer: AgentConfiguration | undefined,
  hostName: string,
): Omit<SystemTarget, 'files'> {
  if (agent.provisioning.disableSubsystem) return { networks: [], hotspot: undefined };
  const { roamingMode, networks, hotspotPassword } = mergeProvisioning(agent, manufacturer);
  const hasPassword = hotspotPassword !== undefined && hotspotPassword.reveal() !== '';
  return {
    // Networks are used only when roaming_mode is enabled.
    networks: (roamingMode ? networks : [])
      .toSorted((a, b) => b.priority - a.priority)
      .map(networkProfile),
    hotspot: hasPassword ? hotspotProfile(hotspotPassword, hostName) : undefined,
  };
}

function fragments({
  disableSubsystem,
  logging,
  upgrades,
}: AgentConfiguration['systemConfiguration']): ManagedFile[] {
  if (disableSubsystem) return [];
  const limits = [
    ...(logging.systemMaxUse === undefined ? [] : [`SystemMaxUse=${logging.systemMaxUse}`]),
    ...(logging.runtimeMaxUse === undefined ? [] : [`RuntimeMaxUse=${logging.runtimeMaxUse}`]),
  ];
  const hasLimits = !logging.disable && limits.length > 0;
  const journal = [...OWN_FILE.map((line) => `# ${line}`), '[Journal]', ...limits];
  const apt = [...OWN_FILE.map((line) => `// ${line}`), ...UPGRADES];
  return [
    ...(hasLimits ? [fragment(JOURNAL_FILE, 'journal', journal)] : []),
    ...(upgrades === 'all' ? [fragment(UPGRADES_FILE, 'upgrades', apt)] : []),
  ];
}

/** Once a day, from every configured source. */
const UPGRADES = [
  'APT::Periodic::Update-Package-Lists "1";',
  'APT::Periodic::Unattended-Upgrade "1";',
  'Unattended-Upgrade::Origins-Pattern { "origin=*"; };',
];

function fragment(path: string, subject: Subject, lines: readonly string[]): ManagedFile {
  return { path, subject, mode: PUBLIC, content: `${lines.join('\n')}\n` };
}
