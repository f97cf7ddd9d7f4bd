import type { Context } from '../../../http/context.ts'
import { localKeys } from '../../../vault/keys/store.ts'
import type { CloudAKey } from './model.ts'
import type { MaterialSource } from './store.ts'

/** The local key as a record of a cloud key speaks of it. */
export async function materialSource({ caller }: Pick<Context, 'caller'>, localKeyId: string): Promise<MaterialSource> {
  const source = await localKeys.get(caller.domain.id, localKeyId)
  return { local_key_id: localKeyId, ...(source && { local_key_name: source.item.name }) }
}

/** Fields by which a record names the local key that its material is from; none for material of the cloud. */
export const sourceOf = async (
  context: Pick<Context, 'caller'>,
  localKeyId: string | undefined,
): Promise<Pick<CloudAKey, 'key_source' | 'local_key_id' | 'local_key_name'>> =>
  localKeyId === undefined ? {} : { key_source: 'local', ...(await materialSource(context, localKeyId)) }
