import type { FleetFile } from './fleet/fleet-file.ts';
import type { ModuleId } from '../core/index.ts';
import { expectMembers } from '../core/text/argument.ts';
import { expectSpelling, type Members } from '../core/text/spelling.ts';
import { harmless } from '../core/text/thenable.ts';
import { systemClock, wholeMilliseconds, type Clock } from '../registry/clock.ts';
import { LONGEST_SPREAD_MS } from '../registry/http/limits.ts';
import type { WriteChange } from './catalogue/write-change.ts';
import { SERVE_OPTIONS, TLS } from './expected-serve-options.ts';
import type { Receivers } from './notice.ts';
import type { RequestObserver } from './request-observer.ts';
import type { ServerLimits } from './server-limits.ts';
import type { Withheld } from './withheld.ts';

/** Metrics in the format of Prometheus. */
export interface MetricsText {
  readonly text: string;
  readonly type: string;
}

/** @internal A front of a cluster: its catalogue follows a stream that all fronts write to. */
export interface Replica {
  /** Appends a change to the stream, and resolves once this front has applied it. */
  readonly write: WriteChange;
  /** Whether this front raises, halts and completes rollouts now. */
  readonly isController: () => boolean;
  /** Lets all fronts know the reports of each. The result ends that. */
  readonly shareReports: (
    fleet: FleetFile,
    onEvent: (event: ReportEvent) => void,
  ) => () => Promise<void>;
  /** Why it no longer follows, which needs a person; undefined while it does. */
  readonly trouble: () => string | undefined;
  /** The lists that must not be answered, because this front knows that it may lack changes of them; undefined if there are none. */
  readonly withheld: () => Withheld | undefined;
  /** Whether it has what a majority of the nodes had a minute ago (D168), or at the time `since` of the monotonic clock. */
  readonly isConfirmed: (since?: number) => boolean;
}

/** Options of the HTTP API. All are optional. */
export interface ServeOptions {
  /** The source of time: of the default publish time, and of long polls. `systemClock` by default. */
  readonly clock?: Clock | undefined;
  /** Clients wait a random time up to this before they fetch a change, in milliseconds. 1000 by default, at most an hour. */
  readonly spreadMs?: number | undefined;
  /** Serves HTTPS with these files in PEM, read each second for a renewed certificate. Without it, others on the network can read tokens. */
  readonly tls?:
    | {
        /** The path of the certificate, followed by those of the authorities between it and a trusted one. */
        readonly certificate: string;
        /** The path of its private key, which has no passphrase. */
        readonly key: string;
      }
    | undefined;
  /** @internal After how long without a request a machine is silent, in milliseconds; as it was before if undefined. */
  readonly silentMs?: number | undefined;
  /** @internal The namespaces whose new releases begin a rollout, unless their publication says otherwise (D220). */
  readonly staged?: readonly string[] | undefined;
  /** @internal Is told of each request, for metrics. */
  readonly observe?: RequestObserver | undefined;
  /** @internal The text at `/metrics`: of the server, or of all; without it there is no such address. */
  readonly metrics?: ((of: 'server' | 'all') => Promise<MetricsText>) | undefined;
  /** @internal Is told what happens. */
  readonly notify?: Receivers | undefined;
  /** @internal Other limits than SERVER_LIMITS. */
  readonly limits?: ServerLimits | undefined;
  /** @internal For a front of a cluster. */
  readonly replica?: Replica | undefined;
  /**
   * Called after each change, each refused request for a change, and each error that ended a request. The events never
   * contain the text of a token. It must not throw: an error is ignored.
   */
  readonly log?:
    | ((
        event:
          | {
              /** What happened to the release. */
              readonly kind:
                | 'published'
                | 'signed'
                | 'yanked'
                | 'unyanked'
                | 'deprecated'
                | 'undeprecated'
                | 'noted'
                | 'rollout-started'
                | 'rollout-halted'
                | 'rollout-resumed'
                | 'rollout-raised'
                | 'rollout-retracted';
              /** The module of the release. */
              readonly moduleId: ModuleId;
              /** The version as published. */
              readonly version: string;
              /** The id of the token that allowed it. */
              readonly tokenId: string;
              /** The address of the client, or of the proxy in front of the registry; undefined without a connection. */
              readonly peer: string | undefined;
            }
          | {
              /** A machine was retired, or was already; or it joined, and has a token of its own. */
              readonly kind: 'machine-retired' | 'machine-joined';
              /** The id of the machine. */
              readonly machine: string;
              /** The id of the token that allowed it. */
              readonly tokenId: string;
              /** The address of the client, as above. */
              readonly peer: string | undefined;
            }
          | {
              /** A revision of the documents of a machine was saved, or got signatures. */
              readonly kind: 'config-saved' | 'config-signed';
              /** The id of the machine. */
              readonly machine: string;
              /** Its number. */
              readonly revision: number;
              readonly tokenId: string;
              readonly peer: string | undefined;
            }
          | {
              /** A value for the documents of a machine was set or removed. */
              readonly kind: 'secret-set' | 'secret-removed';
              readonly machine: string;
              readonly name: string;
              readonly tokenId: string;
              readonly peer: string | undefined;
            }
          | {
              /** A machine was given a command. */
              readonly kind: 'command-given';
              readonly machine: string;
              readonly number: number;
              /** What it does, such as `hold`. */
              readonly command: string;
              readonly tokenId: string;
              readonly peer: string | undefined;
            }
          | {
              /** A version of the trust document was stored. */
              readonly kind: 'trust-stored';
              /** Its number. */
              readonly version: number;
              readonly tokenId: string;
              readonly peer: string | undefined;
            }
          | {
              /** The registry raised, halted or completed a rollout by itself. */
              readonly kind: 'rollout';
              /** What it did. `damaged`: nothing any more, because a row of the rollout is damaged. */
              readonly change: 'raised' | 'halted' | 'completed' | 'damaged';
              /** The module of the release. */
              readonly moduleId: ModuleId;
              /** The version as published. */
              readonly version: string;
              /** Why it was halted, or what is damaged; undefined if it was raised or completed. */
              readonly because: string | undefined;
            }
          | {
              /** A file was stored, for a release that lists it. */
              readonly kind: 'uploaded';
              /** The module that the token may publish for. */
              readonly moduleId: ModuleId;
              /** `sha256:…`. */
              readonly digest: string;
              /** In bytes. */
              readonly size: number;
              /** The id of the token that allowed it. */
              readonly tokenId: string;
              /** The address of the client, as above. */
              readonly peer: string | undefined;
            }
          | {
              /** A front passed over a message in the stream of its cluster's reports, or over one report, that no front can take. */
              readonly kind: 'report-passed-over';
              /** The number of the message. */
              readonly sequence: number;
              /** The machine that sent the report; undefined for a whole message. */
              readonly machine: string | undefined;
              /** Why it cannot be taken. */
              readonly because: string;
            }
          | {
              /** A front takes no reports until its disk has space. Yanks still can be made. */
              readonly kind: 'reports-wait';
              /** What was found. */
              readonly because: string;
            }
          | {
              /** The disk of a front has space again. */
              readonly kind: 'reports-go-on';
            }
          | {
              /** The registry takes no logs of machines until it can use their file, or takes them again. Nothing else is affected. */
              readonly kind: 'logs';
              /** Which of both. */
              readonly change: 'wait' | 'go-on';
              /** What was found; undefined if it takes them again. */
              readonly because: string | undefined;
            }
          | {
              /** A request to change something was refused or failed; an event `failed` has the error. Nothing was changed. */
              readonly kind: 'refused';
              /** What is wrong with the token, such as `missing-scope`; undefined if something else was refused. */
              readonly reason:
                | 'no-token'
                | 'unknown-token'
                | 'expired-token'
                | 'revoked-token'
                | 'missing-scope'
                | undefined;
              /** The method of the request. */
              readonly method: string;
              /** Its path as received, without its query. */
              readonly path: string;
              /** The status of the response, from 400 to 599. */
              readonly status: number;
              /** The id of the token if the registry created it. */
              readonly tokenId: string | undefined;
              /** The address of the client, as above. */
              readonly peer: string | undefined;
            }
          | {
              /** Requests or connections were refused, because a limit of the server was reached. */
              readonly kind: 'overload';
              /** The limit. `handshakes`: a TLS handshake failed with an error of TLS, or took longer than ten seconds. */
              readonly limit:
                | 'connections'
                | 'handshakes'
                | 'requests-per-socket'
                | 'slow-requests'
                | 'unsent-bytes'
                | 'long-polls-per-peer'
                | 'uploads'
                | 'uploads-per-token';
              /** How many were refused since the last event of this limit; an event follows another after a second. */
              readonly count: number;
              /** The address of the last refused client, as above. */
              readonly peer: string | undefined;
            }
          | {
              /**
               * `certificate-renewed`: new connections use the changed files. `certificate-kept`: they cannot be used, so the
               * certificate before is still used. `certificate-warning`: clients may refuse what is used.
               */
              readonly kind: 'certificate-renewed' | 'certificate-kept' | 'certificate-warning';
              /** What was found, in one escaped line. */
              readonly text: string;
            }
          | {
              readonly kind: 'failed';
              /** The thrown error, such as a DatabaseError. The client received no details. */
              readonly error: unknown;
            },
      ) => void)
    | undefined;
}

/** A change to the catalogue by a request, refused requests, a certificate, or an error that ended a request. */
export type RegistryEvent = Parameters<NonNullable<ServeOptions['log']>>[0];

/** The options with their defaults. */
export type RegistryOptions = Pick<ServeOptions, 'log'> & {
  readonly limits?: ServerLimits | undefined;
  readonly silentMs?: number | undefined;
  readonly staged?: readonly string[] | undefined;
  readonly tls?: ServeOptions['tls'];
  readonly observe?: RequestObserver | undefined;
  readonly metrics?: ((of: 'server' | 'all') => Promise<MetricsText>) | undefined;
  readonly notify?: Receivers | undefined;
  /** @internal */
  readonly replica?: Replica | undefined;
  readonly clock: Clock;
  readonly spreadMs: number;
};

const DEFAULT_SPREAD_MS = 1000;

/** Throws a TypeError that names `callee` if an option that no compiler checked has the wrong type or a misspelt name, or a RangeError for `spreadMs`. */
export function withDefaults(callee: string, options: ServeOptions): RegistryOptions {
  const known: Members<ServeOptions> = SERVE_OPTIONS;
  expectMembers(callee, 'options', options, SERVE_OPTIONS);
  expectSpelling(callee, 'options', options, known);
  const { clock = systemClock, spreadMs = DEFAULT_SPREAD_MS, log, tls, ...others } = options;
  if (tls) expectMembers(callee, 'options.tls', tls, TLS);
  if (!(spreadMs >= 0 && spreadMs <= LONGEST_SPREAD_MS)) {
    throw new RangeError(`spreadMs is ${spreadMs}, expected 0 to ${LONGEST_SPREAD_MS}`);
  }
  return { ...others, clock: wholeMilliseconds(clock), spreadMs, log: log && harmless(log), tls };
}

/** What happens while a front takes the reports of its cluster. */
export type ReportEvent = Extract<
  RegistryEvent,
  { kind: 'report-passed-over' | 'reports-wait' | 'reports-go-on' }
>;

/** A limit of the server that refuses requests or connections. */
export type ExceededLimit = Extract<RegistryEvent, { kind: 'overload' }>['limit'];
