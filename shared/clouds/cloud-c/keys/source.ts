import type { Context } from '../../../http/context.ts'
import { localKeys } from '../../../vault/keys/store.ts'
import type { VersionSource } from '../versions/records.ts'

/** What the record of a version says of the local key its material is from. One read. */
export async function sourceOf({ caller }: Pick<Context, 'caller'>, localKeyId: string): Promise<VersionSource> {
  const source = await localKeys.get(caller.domain.id, localKeyId)
  return {
    key_material_origin: 'keymgr',
    local_key_id: localKeyId,
    ...(source && { local_key_name: source.item.name, local_key_version: source.item.version }),
  }
}
