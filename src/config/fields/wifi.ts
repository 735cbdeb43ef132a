import { quote } from '../../core/text/quote.ts';
import { secret, type Secret } from '../../core/text/secret.ts';
import { badValue } from '../fault.ts';
import { utf8Length } from '../text/utf8.ts';
import { parsedText, type Schema } from './fields.ts';

/** The most bytes of an SSID. (IEEE 802.11) */
const LONGEST_SSID = 32;

function ssidComplaint(text: string): string | undefined {
  if (/\p{Cc}/u.test(text)) return 'contains a control character';
  if (!text.isWellFormed()) return 'contains half of a surrogate pair';
  const bytes = utf8Length(text);
  return bytes > LONGEST_SSID ? `has ${bytes} bytes` : undefined;
}

/** The name of a network. */
export const ssid: Schema<string> = parsedText(
  'the SSID of a network',
  (text) => {
    const complaint = text === '' ? 'is empty' : ssidComplaint(text);
    if (complaint === undefined) return { ok: true, value: text };
    const message = `the SSID ${quote(text)} ${complaint}, expected 1 to ${LONGEST_SSID} bytes without control characters`;
    return { ok: false, error: badValue(message) };
  },
  { minLength: 1, maxLength: LONGEST_SSID, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' },
);

/** What WPA accepts. NetworkManager drops any other key without an error, and the network never connects. */
const KEY = '[ -~]{8,63}|[0-9A-Fa-f]{64}';
const EXPECTED = '8 to 63 printable ASCII characters, or 64 hexadecimal digits';

/** The key of a network. A message never repeats it, nor says how long it is. */
export const networkKey: Schema<Secret> = wpaKey(
  new RegExp(`^(?:${KEY})$`),
  `expected ${EXPECTED}; leave psk out for an open network`,
);

/** The password of the hotspot; empty for none, also if the manufacturer sets one. */
export const hotspotPassword: Schema<Secret> = wpaKey(
  new RegExp(`^(?:${KEY})?$`),
  `expected ${EXPECTED}, or empty text for no hotspot`,
);

function wpaKey(form: RegExp, expected: string): Schema<Secret> {
  return parsedText(
    'text',
    (text) => {
      if (form.test(text)) return { ok: true, value: secret(text) };
      return { ok: false, error: badValue(`NetworkManager does not accept this key, ${expected}`) };
    },
    { pattern: form.source },
  );
}
