import { findHostedSource, type SourceRule } from '../../../cloud/keys/hosted-source.ts'
import type { Context } from '../../../http/context.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'

export const SOURCE_POINTER = '#/local_hosted_params/source_key_id'

const RULES: readonly SourceRule[] = [
  ['must be flagged unexportable', ({ unexportable }) => unexportable],
  ['must be flagged undeletable', ({ undeletable }) => undeletable],
]

/**
 * The local key for a hosted key, always in its latest version.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN with every broken rule
 */
export const findSourceKey = async (context: Context, reference: string): Promise<StoredLocalKey> =>
  (await findHostedSource(context, reference, SOURCE_POINTER, RULES)).item
