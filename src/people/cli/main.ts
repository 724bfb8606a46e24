#!/usr/bin/env node
/**
 * The `forestall` command. Nothing is imported before Node itself is known to be new enough: an old one
 * would fail inside some library, with a stack that does not tell what to do.
 */
import { tooOldNode } from './node-version.ts';

const fault = tooOldNode(process.versions.node);
if (fault === undefined) await import('./run.ts');
else {
  console.error(fault);
  process.exitCode = 2;
}
