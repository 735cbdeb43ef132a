/* Asks the address until the response has the status: `node until-status.ts <address> <status>`. Prints both parts. */
const [address = '', status = ''] = process.argv.slice(2);
for (;;) {
  const response = await fetch(address);
  const { detail, status: text } = Object(await response.json());
  if (response.status === Number(status)) {
    process.stdout.write(`${status} ${detail ?? text}\n`);
    break;
  }
}
