import { defined } from '../../../base/fields.ts'
import { localSource, type LocalSource } from '../../../cloud/keys/source-key.ts'
import type { Context } from '../../../http/context.ts'
import type { CloudAKey } from './model.ts'
import type { MaterialSource } from './store.ts'

const nameOf = ({ local_key_id, local_key_name }: LocalSource): MaterialSource => ({
  local_key_id,
  ...defined({ local_key_name }),
})

/** A cloud key's reference to a local key. */
export const materialSource = async (context: Pick<Context, 'caller'>, localKeyId: string): Promise<MaterialSource> =>
  nameOf(await localSource(context, localKeyId))

/** Fields of a record that name the local key of its material. */
export const sourceFields = (
  source: LocalSource,
): Pick<CloudAKey, 'key_source' | 'local_key_id' | 'local_key_name'> => ({
  key_source: 'local',
  ...nameOf(source),
})
