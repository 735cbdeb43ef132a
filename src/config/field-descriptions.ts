import type { DocumentKind } from './document-kind.ts';

/** What each field of a document means, by its path: items of lists and values by name are not parts of a path. */
type Descriptions = Readonly<Record<string, string>>;

const $schema = 'The address of the JSON Schema of this document, for editors.';

const AGENT: Descriptions = {
  $schema,
  'platform-agent': 'The agent itself.',
  'platform-agent.pin_version': 'The exact version to deploy; empty for the newest of the channel.',
  'platform-agent.pin_url':
    'An address to deploy, whatever its version. It overrides pin_version; empty for none.',
  'platform-agent.release_channel': 'stable: the newest release.',
  'platform-server': 'The server that loads the modules.',
  'platform-server.pin_version':
    'The exact version to deploy; empty for the newest of the channel.',
  'platform-server.pin_url':
    'An address to deploy, whatever its version. It overrides pin_version; empty for none.',
  'platform-server.release_channel':
    'stable: the newest release. latest: the newest release or prerelease.',
  'platform-server.disable_subsystem':
    'Whether the server is not managed: the agent stops it and all modules.',
  'platform-server.attributes': 'How the server starts.',
  'platform-server.attributes.fast_start':
    'Whether it starts without waiting for the network and the first update check.',
  'agent-provisioning': 'The hotspot of the agent, and the networks of the machine.',
  'agent-provisioning.disable_subsystem':
    'Whether the agent does not provision: its settings leave the system.',
  'agent-provisioning.attributes': 'The hotspot and the networks.',
  'agent-provisioning.attributes.hotspot_password':
    'The password of the hotspot that the agent opens; empty for no hotspot.',
  'agent-provisioning.attributes.roaming_mode':
    'Whether the machine connects to networks. If not, they are ignored.',
  'agent-provisioning.attributes.networks': 'The networks that the machine may connect to.',
  'agent-provisioning.attributes.networks.type': 'The type of the network.',
  'agent-provisioning.attributes.networks.ssid':
    'The name of the network: 1 to 32 bytes without control characters.',
  'agent-provisioning.attributes.networks.psk':
    'The pre-shared key: 8 to 63 printable ASCII characters or 64 hexadecimal digits. Without it the network is open.',
  'agent-provisioning.attributes.networks.priority':
    'From -999 to 999, 0 by default. The highest is tried first.',
  'agent-syscfg': 'Settings of the operating system.',
  'agent-syscfg.disable_subsystem':
    'Whether the agent does not manage these settings: they leave the system.',
  'agent-syscfg.release_channel': 'Any text, such as stable.',
  'agent-syscfg.attributes': 'The settings.',
  'agent-syscfg.attributes.logging': "Limits of the system's journal.",
  'agent-syscfg.attributes.logging.disable': 'Whether these limits do not apply.',
  'agent-syscfg.attributes.logging.system_max_use':
    'How much disk persistent logs may use: a size such as 512M.',
  'agent-syscfg.attributes.logging.runtime_max_use':
    'How much memory volatile logs may use: a size such as 64M.',
  'agent-syscfg.attributes.upgrades': 'Unattended upgrades of the system.',
  'agent-syscfg.attributes.upgrades.type': 'all: upgrades from all sources of the system.',
};

const MACHINE: Descriptions = {
  $schema,
  components: 'The resources of the machine, such as sensors and boards.',
  'components.name': 'Unique: up to 255 bytes, printable, no slash, no white space at either end.',
  'components.model':
    '<namespace>:<module_name>:<model_name> for a model of a module entry, or one word for a model built into the server.',
  'components.type': 'The API that it implements: sensor, board.',
  'components.namespace': 'The namespace of that API: rdk, unless the module defines its own.',
  'components.depends_on': 'Names of the components that this one requires, without cycles.',
  'components.attributes':
    'Settings of the component; checked only for a board with the model fake.',
  'components.attributes.fail_new': 'Whether the fake board fails at its start.',
  'components.attributes.analogs': 'The analog readers of the fake board.',
  'components.attributes.analogs.name': 'The name of the reader.',
  'components.attributes.analogs.pin': 'The index of its pin on the converter, as text.',
  'components.attributes.analogs.chip_select': 'The index of the chip select line, as text.',
  'components.attributes.analogs.spi_bus': 'The index of the SPI bus, as text.',
  'components.attributes.analogs.average_over_ms':
    'The window of its rolling average, in milliseconds; 0 or absent for none.',
  'components.attributes.analogs.samples_per_sec':
    'How many samples it takes in a second, with a window; 1 if it is 0 or absent.',
  'components.attributes.digital_interrupts': 'The digital interrupts of the fake board.',
  'components.attributes.digital_interrupts.name': 'The name of the interrupt.',
  'components.attributes.digital_interrupts.pin': 'The GPIO pin, as text.',
  modules: 'The modules of the machine: an entry for each instance.',
  'modules.type':
    'registry, or local for a module that exists only on this machine and that modreg never changes.',
  'modules.name': 'Unique, usually <namespace>_<name>. The policy refers to it.',
  'modules.module_id': 'The module that runs under this name: <namespace>:<name>.',
  'modules.version':
    'Which releases are accepted: X.Y.Z, X.Y.*, X.*, latest or latest-with-prerelease.',
  'modules.executable_path':
    'The program of a local module: an absolute path. Without it, the agent of modreg does not start the module.',
  'modules.env':
    'Environment variables of the module. ${environment.NAME} stands for a variable of the agent.',
  agent: 'The agent configuration: its subsystems.',
};

const POLICY: Descriptions = {
  $schema,
  registry:
    'The address of the source of release lists. A relative path starts from the folder of the policy.',
  allow_http: 'Hosts (host or host:port) that may be contacted without TLS.',
  minimum_release_age:
    'How long a release must have been published before a constraint selects it, such as 3d. Pins need no age. 0s by default.',
  unknown_release_age:
    'Whether a minimum age refuses or allows a release without a publish time; refuse by default.',
  minimum_release_age_by_step:
    'Other ages for major, minor and patch steps, in place of minimum_release_age.',
  'minimum_release_age_by_step.major': 'The age from 1.2.3 to 2.0.0.',
  'minimum_release_age_by_step.minor': 'The age from 1.2.3 to 1.3.0.',
  'minimum_release_age_by_step.patch':
    'The age from 1.2.3 to 1.2.4, or to another prerelease or build.',
  age_after_yank:
    'A shorter age for what replaces a deployed release that was yanked, if this machine saw it before the yank.',
  trust: 'The digest of the trust document whose keys sign releases, sha256:…, or unsigned.',
  npm_keys:
    'The public keys of npm registries, one of which has to have signed a release of npm:; empty for none.',
  'npm_keys.keyid': 'The name of the key in signatures.',
  'npm_keys.key': 'The key of the curve P-256, as SPKI in base64.',
  'npm_keys.keytype': 'The type of the key, as npm registries name it.',
  'npm_keys.scheme': 'The signature scheme, as npm registries name it.',
  'npm_keys.expires': 'When the key expires: what is published then or later, it may not sign.',
  trust_clock:
    "Whether a minimum age counts to this machine's clock; absent to find out whether it is right.",
  maintenance: 'The windows in which upgrades and downgrades may start; at all times without it.',
  'maintenance.start': 'When the window opens: five fields in cron syntax.',
  'maintenance.duration': 'How long it stays open, such as 2h.',
  'maintenance.time_zone': 'The IANA name of its time zone, such as Europe/Berlin.',
  blackout: 'Days and spans in which no upgrade or downgrade starts, in a window or not.',
  'blackout.day': 'A whole day, such as 2026-12-31: either this, or from and to.',
  'blackout.from': 'When a span begins: a day or a time of a day, such as 2026-12-24T18:00.',
  'blackout.to': 'When a span ends: a day, which is part of it, or a time of a day.',
  'blackout.time_zone':
    'The time zone of its days: an IANA name such as Europe/Berlin, UTC, or an offset such as +01:00.',
  'blackout.reason': 'Why the site wants it, for people: up to 80 characters.',
  allow_downgrade:
    'Whether a lower version may replace one that the constraint does not accept; true by default.',
  on_yank:
    'What happens to a deployed version that was yanked: keep it, or replace it by the best release, even a lower one.',
  require_digest: 'Whether a file needs a complete sha256 or sha512 digest; true by default.',
  quarantine:
    'How long a version that failed is refused: a duration, or until-lifted, the default.',
  restart_cooldown: 'The least time between two restarts of a module; 5m by default.',
  restart_ceiling: 'The most restarts of a module in 24 hours; 12 by default.',
  longest_hold:
    'How long vetoes that may be overridden, and a busy server, may hold replacements of a module.',
  max_index_age:
    'The greatest age of a saved list that is used while the registry provides none; 7d by default.',
  env_allow: "Secret variables of the agent that a module's env may read.",
  command:
    'The program of the module and its arguments; the program is a path in the package. By default what the package names.',
  run_as: 'The user that the module runs as.',
  no_new_privs:
    'Whether neither the module nor what it starts gets more privileges than its user has; false by default.',
  ready:
    'How the module shows that it works: none, socket, http://127.0.0.1:PORT/PATH or tcp://127.0.0.1:PORT.',
  ready_timeout: 'How long a started module may take to be ready; 60s by default.',
  probation:
    'How long a new version must stay healthy before it counts as working; 30s by default.',
  probe_interval: 'The time between two probes of a running module; 5s by default.',
  stop_timeout: 'How long a module may take to end after SIGTERM before it is killed.',
  restart_status:
    'An address http://127.0.0.1:PORT/PATH at which the module says whether it may be stopped.',
  restart_status_unclear:
    'Whether the module may be stopped if it does not say: allow, the default, or hold.',
  prefetch:
    'Whether the agent downloads a release while only its moment is missing; true by default.',
  disk_reserve_mib: 'How many MiB of its disk the agent leaves free when it installs.',
  self_update: 'Of platform-agent: whether the agent installs its own releases; true by default.',
  group: 'The group of the machines with this policy, which a rollout may include first.',
  refuse: 'Releases that this site refuses, by module_id, or * for all modules.',
  'refuse.versions': 'One version, X.Y.* or X.*.',
  'refuse.reason': 'Why the site refuses them, for people.',
  age_exempt: 'By module_id: exact versions that need no minimum age.',
  logs: 'Where the agent sends its log.',
  'logs.endpoint': 'The address of an OTLP collector, such as https://collector.example/v1/logs.',
  'logs.headers':
    'Headers of each request. ${environment.NAME} stands for a variable of the agent.',
  tags: 'What the machine is tagged with, for releases that require a tag.',
  provides:
    'The versions of what modreg does not manage, by platform-server, platform-agent or module id.',
  modules:
    'By the name of a module entry or subsystem: the terms that differ for it. They replace the general ones.',
};

const DESCRIPTIONS: Readonly<Record<DocumentKind, Descriptions>> = {
  machine: MACHINE,
  agent: AGENT,
  policy: POLICY,
};

/** What the field at `path` of a document means; undefined if nothing says it. */
export function descriptionOf(kind: DocumentKind, path: readonly string[]): string | undefined {
  const [first, ...rest] = path;
  // An agent configuration in a machine config, and terms of one module.
  if (kind === 'machine' && first === 'agent' && rest.length > 0) {
    return descriptionOf('agent', rest);
  }
  if (kind === 'policy' && first === 'modules' && rest.length > 0) {
    return descriptionOf('policy', rest);
  }
  return DESCRIPTIONS[kind][path.join('.')];
}
