/**
 * `forestall verify`: tries the merchant's own configuration and processor before money is at stake.
 */
import type { Command } from 'commander';
import { registerVerifyProcessor } from './verify-processor.ts';

export function registerVerify(program: Command): void {
  const verify = program
    .command('verify')
    .description('tries your configuration and your processor');
  registerVerifyProcessor(verify);
}
