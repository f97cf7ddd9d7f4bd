import { defined } from '../../../base/fields.ts'
import { localSource, type LocalSource } from '../../../cloud/keys/source-key.ts'
import type { Context } from '../../../http/context.ts'
import type { CloudAKey } from './model.ts'
import type { MaterialSource } from './store.ts'

const nameOf = ({ local_key_id, local_key_name }: LocalSource): MaterialSource => ({
  local_key_id,
  ...defined({ local_key_name }),
})

/** The local key as a record of a cloud key refers to it. */
export const materialSource = async (context: Pick<Context, 'caller'>, localKeyId: string): Promise<MaterialSource> =>
  nameOf(await localSource(context, localKeyId))

/** Fields by which a record names the local key that its material is from. */
export const sourceFields = (
  source: LocalSource,
): Pick<CloudAKey, 'key_source' | 'local_key_id' | 'local_key_name'> => ({
  key_source: 'local',
  ...nameOf(source),
})
