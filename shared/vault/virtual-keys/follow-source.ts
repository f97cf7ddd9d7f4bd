import type { Context } from '../../http/context.ts'
import type { StoredLocalKey } from '../keys/store.ts'
import { virtualKeys } from './store.ts'

/** Stages a new version of the virtual key over a local key, if it has one. @param source the new version */
export async function followSource(
  { caller, changes, now }: Pick<Context, 'caller' | 'changes' | 'now'>,
  source: Pick<StoredLocalKey, 'id' | 'name' | 'version'>,
): Promise<void> {
  const stored = await virtualKeys.find(caller.domain.id, 'source', source.name)
  if (stored === undefined) return
  changes.update(virtualKeys, caller.domain.id, stored, {
    ...stored.item,
    version: source.version - stored.item.first_source_version,
    source_key_id: source.id,
    updatedAt: now.toISOString(),
  })
}
