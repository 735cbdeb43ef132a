import { LIST, OBJECT, type Expected } from '../text/argument.ts';
import type { Constraint } from '../version/constraint.ts';
import type { ModuleId } from '../releases/module-id.ts';
import type { Secret } from '../text/secret.ts';
import type { Version } from '../version/version.ts';

export const MACHINE: Expected = {
  is: (value) => {
    // A cast: what these fields are is looked at next.
    const { modules, components, agent } = Object(value) as Partial<Machine>;
    return LIST.is(modules) && LIST.is(components) && OBJECT.is(agent);
  },
  words: 'the value of readMachine()',
};

/** A validated machine config: defaults are filled in, names are unique and references resolve. */
export interface Machine {
  /** In the order of the document; empty if there are none. */
  readonly components: readonly Component[];
  /** In the order of the document; empty if there are none. */
  readonly modules: readonly ModuleEntry[];
  /** The document's `agent`; the defaults if it has none. */
  readonly agent: AgentConfiguration;
}

/** A resource of the machine, such as a sensor or a board. */
export interface Component {
  /** Unique among the machine's components. */
  readonly name: string;
  /** The model that implements the component. */
  readonly model:
    | {
        readonly kind: 'built-in';
        /** One word: `fake`. */
        readonly name: string;
      }
    | {
        readonly kind: 'modular';
        /** The module that provides the model: `acme:lidar`. */
        readonly moduleId: ModuleId;
        /** The last part of the model triplet: `vlp16`. */
        readonly name: string;
      };
  /** The subtype of the API: `sensor`, `board`. */
  readonly type: string;
  /** The namespace of the API: `rdk`, unless the module defines its own API. */
  readonly namespace: string;
  /** As written; only those of a fake board are validated. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Names of the components that this one requires. Dependencies have no cycle. */
  readonly dependsOn: readonly string[];
}

/** The model that implements a component. */
export type Model = Component['model'];

/** A module entry: from a registry, or a local module, whose version modreg does not manage. */
export type ModuleEntry = {
  /** The name of this instance, unique on the machine. */
  readonly name: string;
  /** The module that runs under this name. */
  readonly moduleId: ModuleId;
  /** The module's environment variables as written: `${environment.NAME}` is not expanded. */
  readonly env: Readonly<Record<string, string>>;
  /** The fields of the entry that modreg does not know, as written, for the agent; empty if there are none. */
  readonly extra: Readonly<Record<string, unknown>>;
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
    /** The exact version to deploy; undefined for the newest of the channel. */
    readonly pinVersion: Version | undefined;
    /** Where to download the binary. It takes precedence over `pinVersion`; undefined without a pin. */
    readonly pinUrl: string | undefined;
    /** The agent has one channel. */
    readonly releaseChannel: 'stable';
  };
  /** `platform-server`: the server that loads the modules. */
  readonly platformServer: {
    /** The exact version to deploy; undefined for the newest of the channel. */
    readonly pinVersion: Version | undefined;
    /** Where to download the binary. It takes precedence over `pinVersion`; undefined without a pin. */
    readonly pinUrl: string | undefined;
    /** The channel that an unpinned server follows. */
    readonly releaseChannel: 'stable' | 'latest';
    /** Whether the document names the server. modreg's own agent runs it only then. */
    readonly isConfigured: boolean;
    /** Whether the agent does not manage the server. False by default. */
    readonly disableSubsystem: boolean;
    /** Whether the server starts without waiting for the network and the first update check. False by default. */
    readonly fastStart: boolean;
  };
  /** `agent-provisioning`: the hotspot and the networks. */
  readonly provisioning: {
    /** Whether the agent does not provision. False by default. */
    readonly disableSubsystem: boolean;
    /** The attributes of this document. `mergeProvisioning` adds those of the manufacturer. */
    readonly attributes: ProvisioningAttributes;
  };
  /** `agent-syscfg`: settings of the operating system. */
  readonly systemConfiguration: {
    /** Whether the agent does not manage the operating system's settings. False by default. */
    readonly disableSubsystem: boolean;
    /** As written: the reference does not list the channels. */
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
    /** The type of unattended upgrades: `all` allows them from every configured source; undefined for none. */
    readonly upgrades: 'all' | undefined;
  };
  /** The fields that this modreg does not know, which hold every replacement; absent if there are none (D240). */
  readonly unknownFields?:
    | readonly {
        /** A JSON Pointer (RFC 6901) in the document, not escaped for a terminal. */
        readonly path: string;
        /** The most similar field that is known; undefined if none is similar. */
        readonly suggestion: string | undefined;
      }[]
    | undefined;
}

/** A field of a policy or an agent configuration that this modreg does not know (D240). */
export type UnknownField = NonNullable<AgentConfiguration['unknownFields']>[number];

/** How a machine connects to a network. A field is undefined if the document does not have it. */
export interface ProvisioningAttributes {
  /** The password of the hotspot that the agent opens; empty for no hotspot. */
  readonly hotspotPassword: Secret | undefined;
  /** Whether the machine connects to `networks`. If not true, they are ignored. */
  readonly roamingMode: boolean | undefined;
  /** Networks that the machine may connect to, in the order of the document. */
  readonly networks:
    | readonly {
        readonly type: 'wifi';
        /** The name of the network: 1 to 32 bytes without control characters. */
        readonly ssid: string;
        /** The pre-shared key, 8 to 63 printable ASCII characters or 64 hexadecimal digits; undefined for an open network. */
        readonly psk: Secret | undefined;
        /** From -999 to 999, 0 by default. The agent tries the highest first. */
        readonly priority: number;
      }[]
    | undefined;
}

/** A network to connect to. */
export type Network = NonNullable<ProvisioningAttributes['networks']>[number];
