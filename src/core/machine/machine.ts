import type { Constraint } from '../version/constraint.ts';
import type { ModuleId } from '../releases/module-id.ts';
import type { Secret } from '../text/secret.ts';
import type { Version } from '../version/version.ts';

/** What a machine config says. (Resources and fields) */
export interface Machine {
  readonly components: readonly Component[];
  readonly modules: readonly ModuleEntry[];
  readonly agent: AgentConfiguration;
}

/** A resource of the machine. (Modular resource entry) */
export interface Component {
  readonly name: string;
  readonly model: Model;
  /** The subtype of the API: `sensor`, `board`. */
  readonly type: string;
  /** The namespace of the API: `rdk`, unless the module has an API of its own. */
  readonly namespace: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Names of components that must be there beside this one. */
  readonly dependsOn: readonly string[];
}

/** What backs a component: part of the server (`fake`), or a module's (`acme:lidar:vlp16`). */
export type Model =
  | { readonly kind: 'built-in'; readonly name: string }
  | { readonly kind: 'modular'; readonly moduleId: ModuleId; readonly name: string };

/** A module of the machine. (Module entry) */
export type ModuleEntry = RegistryModule | LocalModule;

export interface RegistryModule extends ModuleIdentity {
  readonly type: 'registry';
  readonly constraint: Constraint;
}

/** A module that is on the machine only: its version is whatever is there. */
export interface LocalModule extends ModuleIdentity {
  readonly type: 'local';
}

interface ModuleIdentity {
  /** The name of this instance, one on the machine. */
  readonly name: string;
  readonly moduleId: ModuleId;
  /** As written, with `${environment.NAME}` in it. */
  readonly env: Readonly<Record<string, string>>;
}

/** How the machine agent and its subsystems are to run, defaults filled in. (Agent configuration) */
export interface AgentConfiguration {
  readonly platformAgent: VersionControl & { readonly releaseChannel: 'stable' };
  readonly platformServer: VersionControl & {
    readonly releaseChannel: 'stable' | 'latest';
    readonly disableSubsystem: boolean;
    readonly fastStart: boolean;
  };
  readonly provisioning: {
    readonly disableSubsystem: boolean;
    readonly attributes: ProvisioningAttributes;
  };
  readonly systemConfiguration: {
    readonly disableSubsystem: boolean;
    readonly releaseChannel: string | undefined;
    readonly logging: LoggingLimits;
    /** `all` allows all upgrades from configured sources; the reference names no other. */
    readonly upgrades: string | undefined;
  };
}

/** What stops automatic upgrades: a version, or an address, which wins over the version. */
interface VersionControl {
  readonly pinVersion: Version | undefined;
  readonly pinUrl: string | undefined;
}

/** Undefined where the document is silent, so that the manufacturer's may speak. */
export interface ProvisioningAttributes {
  readonly hotspotPassword: Secret | undefined;
  readonly roamingMode: boolean | undefined;
  readonly networks: readonly Network[] | undefined;
}

export interface Network {
  readonly type: 'wifi';
  readonly ssid: string;
  readonly psk: Secret | undefined;
  /** From -999 to 999; the highest is tried first. */
  readonly priority: number;
}

interface LoggingLimits {
  readonly disable: boolean;
  /** Bytes. */
  readonly systemMaxUse: number | undefined;
  /** Bytes. */
  readonly runtimeMaxUse: number | undefined;
}
