/** The service of the agent. */
export const SERVICE = 'platform-agent';

/** The first line of a unit that `install-unit` wrote. */
export const MARKER =
  '# Written by modreg agent install-unit, and removed by modreg agent uninstall-unit';

/** What the unit of the agent depends on. Paths are absolute, and have no characters that units treat specially. */
export interface UnitTerms {
  /** `$PLATFORM_HOME` */
  readonly home: string;
  readonly launcher: string;
  /** The arguments of `modreg agent run`. */
  readonly run: readonly [machine: string, ...options: string[]];
}

/**
 * The text of the unit. Modules inherit its restrictions, so only those are in it that no module needs to be without:
 * ProtectClock would close all devices to them, ProtectKernelTunables the pins in /sys, RestrictRealtime the control of
 * motors.
 */
export function unitText({ home, launcher, run }: UnitTerms): string {
  return `${MARKER}
[Unit]
Description=Agent that runs the modules of this machine
ConditionPathExists=${run[0]}
After=network.target
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart=${[launcher, 'agent', 'run', ...run].join(' ')}
Environment=PLATFORM_HOME=${home}
EnvironmentFile=-/etc/modreg/agent.env
Delegate=yes
KillMode=mixed
TimeoutStopSec=180
Restart=always
RestartSec=2
WatchdogSec=60
WatchdogSignal=SIGKILL
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectHostname=yes
LockPersonality=yes
RestrictSUIDSGID=yes
KeyringMode=private
SystemCallFilter=~@cpu-emulation @obsolete @reboot @swap
SystemCallErrorNumber=EPERM
CapabilityBoundingSet=~${WITHOUT.map((name) => `CAP_${name}`).join(' ')}

[Install]
WantedBy=multi-user.target
`;
}

const WITHOUT = [
  'AUDIT_CONTROL',
  'AUDIT_READ',
  'BLOCK_SUSPEND',
  'CHECKPOINT_RESTORE',
  'LINUX_IMMUTABLE',
  'MAC_ADMIN',
  'MAC_OVERRIDE',
  'SYS_BOOT',
  'SYS_MODULE',
  'SYS_PACCT',
  'SYSLOG',
  'WAKE_ALARM',
];

/** `$PLATFORM_HOME` in a unit that `install-unit` wrote. */
export function homeIn(unit: string): string | undefined {
  return /^Environment=PLATFORM_HOME=(.+)$/m.exec(unit)?.[1];
}

/** Whether a unit can name `text` without quotation. */
export function isPlain(text: string): boolean {
  return /^[\w./@+,:=&?-]+$/.test(text);
}
