/** `forestall verify`: tries the merchant's own configuration and processor before money is at stake. */
import type { Command } from 'commander';
import { runCommand } from './lifecycle.ts';
import { verifyMoney } from './verify-money.ts';
import { registerVerifyProcessor } from './verify-processor.ts';

export function registerVerify(program: Command): void {
  const verify = program
    .command('verify')
    .option('--json', 'prints data instead of text')
    .action(async (flags: { json?: boolean }) => {
      await runCommand(async () => await verifyMoney(flags));
    });
  registerVerifyProcessor(verify);
}
