/** Refuses full card numbers among a command's arguments: what is typed there is stored, and stays in the shell's history. */
import { holdsCardNumber } from '../../base/kernel/card-number.ts';
import { ConfigError } from '../../base/kernel/errors.ts';

/** Takes what is stored already out: what it looks for may be anything. */
const ERASING = 'erase';

/** @throws {ConfigError} naming the option and never the number; nothing was done then */
export function refuseCardNumbers(args: readonly string[]): void {
  if (args[0] === ERASING) return;
  // Without quotes a number in groups is several arguments.
  if (!holdsCardNumber(args.join(' '))) return;
  const place = args.findIndex((_arg, index) =>
    holdsCardNumber(args.slice(0, index + 1).join(' ')),
  );
  const before = args.slice(0, place).findLast((arg) => arg.startsWith('-'));
  const own = /^--?[a-z-]+(?==)/.exec(args[place] ?? '')?.[0];
  const where = own ?? before;
  throw new ConfigError(
    `Argument ${place + 1}${where === undefined ? '' : `, behind ${where},`} holds a full card number. Write its first six and last four digits instead. Nothing was done; take it out of the shell's history.`,
  );
}
