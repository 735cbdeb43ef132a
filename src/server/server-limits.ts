const KIB = 1024;
const MIB = 1024 * KIB;

/** What one client, or all of them, may take from a served registry. Sizes are in bytes, times in milliseconds. */
export interface ServerLimits {
  /** Open connections; more are closed. A machine that waits for changes takes 30 kB. */
  readonly connections: number;
  /** Requests of one connection that wait or are answered. Clients that pipeline send a few. */
  readonly requestsPerSocket: number;
  /** Bytes that are parsed before requests are counted. A request of modreg has some 200. */
  readonly parsedAtOnce: number;
  /** A slice of a release list. Three are sent at first, so a list of 10,000 releases is one write. */
  readonly slice: number;
  /** The same while much is unsent, so that other clients are still answered. Three slices of a response may wait. */
  readonly smallSlice: number;
  /** Unsent bytes of all connections from which slices are small. */
  readonly manyUnsent: number;
  /** Unsent bytes of one connection. Only a list of modules or changes is sent as a whole. */
  readonly unsentPerConnection: number;
  /** Unsent bytes of all connections; then requests get 503. */
  readonly unsentInTotal: number;
  /** Long polls of one peer. A proxy in front of the registry is one peer, so a fleet of 10,000 machines must fit. */
  readonly longPollsPerPeer: number;
  /** Longest time of a long poll: most proxies end a connection that is silent for longer. */
  readonly longPoll: number;
  /** Headers of a request: a token, conditions and what proxies add. It is Node's default. */
  readonly headerBytes: number;
  /** The body of a request: a release with its artifacts. */
  readonly bodyBytes: number;
  /** The file of an artifact. Larger ones belong on a server that can resume an upload. */
  readonly artifactBytes: number;
  /** The slice of a file that is sent at once. Each is read for one response, unlike the slice of a list. */
  readonly fileSlice: number;
  /** Uploads in progress, and those of one token: each writes to the disk that publications wait for. */
  readonly uploads: number;
  readonly uploadsPerToken: number;
  /** Space on the disk that uploads leave for the database: a yank must still be possible. */
  readonly freeDisk: number;
  /** Records of the logs of machines that are kept, of one and of all of them. */
  readonly logsOfMachine: number;
  readonly logs: number;
  /** Time to send the headers. */
  readonly headers: number;
  /** Time in which a client must send a body, or a further `bodyBytes` of a file: 1 MiB at 35 kB/s. */
  readonly request: number;
  /** Time between two packets while the registry works or waits; longer than a long poll. */
  readonly idle: number;
  /** Time in which a client must read something of its response. Clients of modreg give up after as long. */
  readonly unread: number;
  /** What a refused client is told to wait. */
  readonly retryAfter: number;
  /** Time for responses in progress when the server ends. Service managers wait 90 s, containers 10 s. */
  readonly closing: number;
  /** How often Node enforces its time limits. Its default of 30 s would add up to 30 s to each of them. */
  readonly check: number;
}

export const SERVER_LIMITS: ServerLimits = {
  connections: 20_000,
  requestsPerSocket: 16,
  parsedAtOnce: 512,
  slice: MIB,
  smallSlice: 32 * KIB,
  manyUnsent: 64 * MIB,
  unsentPerConnection: 16 * MIB,
  unsentInTotal: 256 * MIB,
  longPollsPerPeer: 10_000,
  longPoll: 60_000,
  headerBytes: 16 * KIB,
  bodyBytes: MIB,
  artifactBytes: 1024 * MIB,
  fileSlice: 256 * KIB,
  uploads: 8,
  uploadsPerToken: 4,
  freeDisk: 64 * MIB,
  logsOfMachine: 16 * MIB,
  logs: 256 * MIB,
  headers: 10_000,
  request: 30_000,
  idle: 120_000,
  unread: 30_000,
  retryAfter: 5000,
  closing: 5000,
  check: 1000,
};
