/** An event about the settings of the system, for a log. */
export type SystemEvent =
  | {
      /** A managed file of the system was changed, or could not be, or was left alone. */
      readonly kind: 'system-file';
      /** The file. */
      readonly path: string;
      /** What has become of it. */
      readonly state: 'written' | 'restored' | 'removed' | 'left-alone' | 'failed';
      /** Why it was left alone, or has failed. */
      readonly reason: string | undefined;
    }
  | {
      /** The settings of the system cannot be applied, or are not in force. */
      readonly kind: 'system-trouble';
      /** Why, in one line. */
      readonly reason: string;
    }
  | {
      /** NetworkManager was told to connect to a network, or to open or close the hotspot. */
      readonly kind: 'network';
      /** What it was told. */
      readonly change: 'connect' | 'open-hotspot' | 'close-hotspot';
      /** The name of the network or of the hotspot. */
      readonly ssid: string;
      /** Why it did not. */
      readonly reason: string | undefined;
    };
