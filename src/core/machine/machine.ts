import type { Constraint } from '../version/constraint.ts';
import type { ModuleId } from '../releases/module-id.ts';
import type { Secret } from '../text/secret.ts';
import type { Version } from '../version/version.ts';

/** A machine config that was read: defaults are filled in, names are unique and references resolve. */
export interface Machine {
  /** In the order of the document; empty without any. */
  readonly components: readonly Component[];
  /** In the order of the document; empty without any. */
  readonly modules: readonly ModuleEntry[];
  /** The document's `agent`; the defaults where it has none. */
  readonly agent: AgentConfiguration;
}

/** A resource of the machine, such as a sensor or a board. */
export interface Component {
  /** Unique among the machine's components. */
  readonly name: string;
  /** The driver: built into the server, or one of a module's models. */
  readonly model: Model;
  /** The subtype of the API: `sensor`, `board`. */
  readonly type: string;
  /** The namespace of the API: `rdk`, unless the module defines an API of its own. */
  readonly namespace: string;
  /** As written; only those of a fake board are validated. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Names of the components that this one requires. They contain no cycle. */
  readonly dependsOn: readonly string[];
}

/** What implements a component: a model built into the server (`fake`), or one of a module (`acme:lidar:vlp16`). */
export type Model =
  | {
      readonly kind: 'built-in';
      /** One word: `fake`. */
      readonly name: string;
    }
  | {
      readonly kind: 'modular';
      /** The module that provides the model: `acme:lidar`. */
      readonly moduleId: ModuleId;
      /** The last part of the triplet: `vlp16`. */
      readonly name: string;
    };

/** A module of the machine: from a registry, or a local one, whose version modreg does not manage. */
export type ModuleEntry = {
  /** The name of this instance, unique on the machine. */
  readonly name: string;
  /** The module that runs under this name. */
  readonly moduleId: ModuleId;
  /** The module's environment variables as written: `${environment.NAME}` is not expanded. */
  readonly env: Readonly<Record<string, string>>;
} & (
  | {
      readonly type: 'registry';
      /** Which releases the machine accepts: the entry's `version`. */
      readonly constraint: Constraint;
    }
  | { readonly type: 'local' }
);

/** How the machine agent runs its subsystems, with defaults filled in. */
export interface AgentConfiguration {
  /** `platform-agent`: the agent itself. */
  readonly platformAgent: {
    /** The exact version to run; undefined for the newest of the channel. */
    readonly pinVersion: Version | undefined;
    /** Where to download the binary. It takes precedence over `pinVersion`; undefined without a pin. */
    readonly pinUrl: string | undefined;
    /** The agent has one channel. */
    readonly releaseChannel: 'stable';
  };
  /** `platform-server`: the server that loads the modules. */
  readonly platformServer: {
    /** The exact version to run; undefined for the newest of the channel. */
    readonly pinVersion: Version | undefined;
    /** Where to download the binary. It takes precedence over `pinVersion`; undefined without a pin. */
    readonly pinUrl: string | undefined;
    /** Which releases an unpinned server follows. */
    readonly releaseChannel: 'stable' | 'latest';
    /** Whether the agent leaves the server alone. False by default. */
    readonly disableSubsystem: boolean;
    /** Whether the server starts without waiting for the network and the first update check. False by default. */
    readonly fastStart: boolean;
  };
  /** `agent-provisioning`: the hotspot and the networks. */
  readonly provisioning: {
    /** Whether the agent does not provision. False by default. */
    readonly disableSubsystem: boolean;
    /** As this document has them; `mergeProvisioning` adds the manufacturer's. */
    readonly attributes: ProvisioningAttributes;
  };
  /** `agent-syscfg`: settings of the operating system. */
  readonly systemConfiguration: {
    /** Whether the agent leaves the operating system's settings alone. False by default. */
    readonly disableSubsystem: boolean;
    /** As written: no list of channels is documented. */
    readonly releaseChannel: string | undefined;
    /** Limits of the system's journal. */
    readonly logging: {
      /** Whether the agent does not set these limits. False by default. */
      readonly disable: boolean;
      /** How much disk persistent logs may use, in bytes; undefined for the system's default. */
      readonly systemMaxUse: number | undefined;
      /** How much memory volatile logs may use, in bytes; undefined for the system's default. */
      readonly runtimeMaxUse: number | undefined;
    };
    /** The type of unattended upgrades as written. `all` takes them from every configured source. */
    readonly upgrades: string | undefined;
  };
}

/** How a machine gets on a network. Fields are undefined where the document has none. */
export interface ProvisioningAttributes {
  /** The password of the hotspot that the agent opens. */
  readonly hotspotPassword: Secret | undefined;
  /** Whether the machine connects to `networks`. Without it they are ignored. */
  readonly roamingMode: boolean | undefined;
  /** Networks that the machine may connect to, in the order of the document. */
  readonly networks:
    | readonly {
        readonly type: 'wifi';
        /** The network's name, not empty. */
        readonly ssid: string;
        /** The pre-shared key; undefined for an open network. */
        readonly psk: Secret | undefined;
        /** From -999 to 999, 0 by default. The agent tries the highest first. */
        readonly priority: number;
      }[]
    | undefined;
}

/** A network to connect to. */
export type Network = NonNullable<ProvisioningAttributes['networks']>[number];
