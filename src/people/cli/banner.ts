/** What `forestall start` says about itself with the sandbox: where things are, and how it ends. */
import type { Sandbox } from '../../sandbox/index.ts';

/** Where the log goes while the terminal shows people what happens. */
export const LOG_FILE = '.forestall/forestall.log';

export const STOPPED =
  'Stopped. The next start continues with what happened here. Delete .forestall/ to begin again.';

export interface Banner {
  readonly ports: { readonly webhooks: number; readonly console: number };
  /** The console's token, or where it is. */
  readonly token: string;
  readonly sandbox: Sandbox;
  readonly quiet: boolean;
  /** Where there are several. */
  readonly brands: readonly BannerBrand[];
}

export interface BannerBrand {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly sandbox: Sandbox;
}

export function printBanner({ ports, token, sandbox, quiet, brands }: Banner): void {
  const organisations = brands.map(
    ({ name, id, path, sandbox: own }) =>
      `\n  ${name}   ${id}, webhooks at /webhooks/${path}, sandbox ${own.url}/sandbox`,
  );
  console.log(`
Forestall runs against its sandbox. No real money, nothing leaves this machine.

  Console   http://127.0.0.1:${ports.console}/   token ${token}
  Webhooks  http://127.0.0.1:${ports.webhooks}/webhooks
  Sandbox   ${sandbox.url}/sandbox
  Log       ${LOG_FILE}${organisations.join('')}
${quiet ? '' : '\nA demonstration merchant sells, and disputes come in. Ctrl-C stops it.\n'}`);
}
