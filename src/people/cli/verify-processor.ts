/**
 * `forestall verify processor`: tries every promise of the processor port against a module, an
 * endpoint, or the sandbox's processor. It refunds the charges it is given: test mode only.
 */
import type { Command } from 'commander';
import { systemClock } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { readProcessorSecret } from '../../running/config.ts';
import { importModule, importProcessor } from '../../running/roles/open-processor.ts';
import { createFaultyFetch } from '../../running/testing/faulty-fetch.ts';
import { fixtureFromFile, fixtureOfEndpoint } from '../../running/verify/charge-source.ts';
import type {
  ConformanceFixture,
  ConformanceSubject,
} from '../../running/verify/conformance-check.ts';
import type { ConformanceReport } from '../../running/verify/processor-conformance.ts';
import { checksOf, runProcessorConformance } from '../../running/verify/processor-conformance.ts';
import { createSandboxFixture } from '../../running/verify/sandbox-fixture.ts';
import { createSandbox } from '../../sandbox/index.ts';
import { createHttpProcessor } from '../../service/processor/http-processor.ts';
import type { Processor } from '../../service/wire/processor.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { print } from '../../surface/terminal/print.ts';
import { createProgress } from '../../surface/terminal/progress.ts';
import { runCommand } from './lifecycle.ts';

interface Flags {
  readonly charges?: string;
  readonly fixture?: string;
  readonly json?: boolean;
}

interface OpenSubject extends ConformanceSubject {
  close(): Promise<void>;
}

export function registerVerifyProcessor(verify: Command): void {
  verify
    .command('processor')
    .description('tries every promise of the processor port; refunds the charges it is given')
    .argument('<target>', 'a module exporting "processor", an http(s) address, or "sandbox"')
    .option('--charges <file>', 'JSON list of captured test-mode charges, one used per check')
    .option('--fixture <module>', 'module exporting "fixture", for charges, books and faults')
    .option('--json', 'prints data instead of text')
    .action(async (target: string, flags: Flags) => {
      await runCommand(async () => await verifyProcessor(target, flags));
    });
}

async function verifyProcessor(target: string, flags: Flags): Promise<void> {
  const subject = await openSubject(target, flags);
  const progress = createProgress('Checks');
  let done = 0;
  try {
    const report = await runProcessorConformance(subject, {
      onResult: () => {
        done += 1;
        progress.update(done, checksOf(subject.processor).length);
      },
    });
    progress.stop();
    print(flags, report, showReport(report));
    // A suite of which nothing ran has shown nothing.
    if (report.failed > 0 || report.passed === 0) process.exitCode = EXIT.wrong;
  } finally {
    progress.stop();
    await subject.close();
  }
}

async function openSubject(target: string, flags: Flags): Promise<OpenSubject> {
  refuseIdleFlags(target, flags);
  if (target === 'sandbox') return await openSandboxSubject();
  return /^https?:\/\//.test(target)
    ? await openEndpoint(target, flags)
    : await openModule(target, flags);
}

/** An option that changes nothing would let somebody believe that their charges were tried. */
function refuseIdleFlags(target: string, { charges, fixture }: Flags): void {
  if (target === 'sandbox' && (charges !== undefined || fixture !== undefined)) {
    throw new ConfigError(
      'The sandbox has its own charges. Leave --charges and --fixture out, or name your own processor.',
    );
  }
  if (charges !== undefined && fixture !== undefined) {
    throw new ConfigError('Both give charges: name --charges or --fixture.');
  }
}

async function openSandboxSubject(): Promise<OpenSubject> {
  const secret = 'verify-sandbox-secret';
  const sandbox = await createSandbox({ processorSecret: secret });
  const { processorUrl: baseUrl, clock } = sandbox;
  const fresh = (): Processor => createHttpProcessor({ baseUrl, secret, clock });
  return {
    processor: fresh(),
    fresh,
    fixture: createSandboxFixture(sandbox),
    close: () => sandbox.close(),
  };
}

async function openEndpoint(url: string, flags: Flags): Promise<OpenSubject> {
  const secret = readProcessorSecret();
  if (secret === undefined) {
    throw new ConfigError('FORESTALL_PROCESSOR_SECRET is missing; it signs calls to the endpoint.');
  }
  const faults = createFaultyFetch();
  const clock = systemClock;
  const fresh = (): Processor =>
    createHttpProcessor({ baseUrl: url, secret, clock, fetch: faults.fetch });
  const processor = fresh();
  const own = fixtureOfEndpoint({ url, secret, clock, processor, faults });
  const given = await givenFixture(flags);
  return { processor, fresh, fixture: { ...own, ...given }, close: () => Promise.resolve() };
}

async function openModule(path: string, flags: Flags): Promise<OpenSubject> {
  const processor = await importProcessor(path, '<target>');
  const fixture = (await givenFixture(flags)) ?? (await exportedFixture(path, '<target>'));
  if (fixture === undefined) {
    throw new ConfigError(
      'There is nothing to try it with. Give --charges FILE with test-mode charges, or export a "fixture".',
    );
  }
  return { processor, fixture, close: () => Promise.resolve() };
}

async function givenFixture({ charges, fixture }: Flags): Promise<ConformanceFixture | undefined> {
  if (fixture !== undefined) {
    const exported = await exportedFixture(fixture, '--fixture');
    if (exported === undefined) throw new ConfigError(`${fixture} exports no "fixture".`);
    return exported;
  }
  return charges === undefined ? undefined : await fixtureFromFile(charges);
}

async function exportedFixture(
  path: string,
  setting: string,
): Promise<ConformanceFixture | undefined> {
  const module = await importModule(path, setting);
  const fixture: unknown =
    typeof module === 'object' && module !== null && 'fixture' in module
      ? module.fixture
      : undefined;
  return isFixture(fixture) ? fixture : undefined;
}

function isFixture(value: unknown): value is ConformanceFixture {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'absentReference') === 'string' &&
    typeof Reflect.get(value, 'captured') === 'function' &&
    typeof Reflect.get(value, 'newKey') === 'function'
  );
}

function showReport({ processor, passed, failed, skipped, results }: ConformanceReport): string {
  const lines = results.flatMap(({ name, guarantee, verdict, details }) => {
    if (verdict === 'passed') return [`passed   ${name}`];
    const first = `${verdict === 'failed' ? 'FAILED   ' : 'skipped  '}${name}`;
    return verdict === 'failed'
      ? [first, `           ${guarantee}`, ...details.map((detail) => `           ${detail}`)]
      : [`${first}: ${details.join('; ')}`];
  });
  return [
    ...lines,
    '',
    `${processor}: ${passed} passed, ${failed} failed, ${skipped} skipped.`,
  ].join('\n');
}
