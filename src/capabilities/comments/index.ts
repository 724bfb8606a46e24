/** Comments: what people write to each other about an alert, with files, and who is called by `@name`. */
import type { Capability } from '../../surface/capability.ts';
import { reviewAttachment } from './attachment.table.ts';
import { reviewMention } from './mention.table.ts';

export const comments: Capability = { name: 'comments', tables: [reviewAttachment, reviewMention] };
