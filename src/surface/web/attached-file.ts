/** The file that came with a form, kept beside its request. */
import type { Request } from 'express';
import type { NewFile } from '../../alerts/review/review.ts';

const files = new WeakMap<Request, NewFile>();

export function attach(request: Request, file: NewFile): void {
  files.set(request, file);
}

/** Undefined when none was chosen. */
export function fileOf(request: Request): NewFile | undefined {
  return files.get(request);
}
