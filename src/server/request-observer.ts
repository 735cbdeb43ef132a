/** How a request ended. The texts are from a fixed set, never from a client. */
interface EndedRequest {
  readonly method: string;
  /** The status; `none` if the connection ended before the response began. */
  readonly status: string;
  readonly seconds: number;
}

/**
 * Called when a request arrives, with its address: `{name}` for each part that differs, or `other`. The result is called when
 * its response has ended.
 */
export type RequestObserver = (route: string) => (ended: EndedRequest) => void;
