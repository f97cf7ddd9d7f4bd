import * as z from 'zod'
import { versionEntity } from '../../../cloud/keys/versions/entity.ts'
import { CommonVersion } from '../../../cloud/keys/model.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { CloudDVersionParam } from '../param.ts'

const StoredCloudDVersion = extended(
  CommonVersion.omit({
    version_id: true,
    parent_key_name: true,
    is_primary: true,
    public_key: true,
  }),
  () => ({ param: CloudDVersionParam, public_key: z.string().optional() }),
)
export type StoredCloudDVersion = z.infer<typeof StoredCloudDVersion>

/** Versions of keys, by the cloud's ids. */
export const cloudDVersions = versionEntity({
  name: 'cloud-d-version',
  schema: StoredCloudDVersion,
  // The version of an external key has the id of its record; the cloud makes all other ids.
  servedBy: ({ id, param, local_key_id }) => (param.version_id === id ? local_key_id : undefined),
  placeOf: ({ param }) => param.version_id,
  row: ({ param: { version_id, origin, time_created } }) => ({ name: version_id, version_id, origin, time_created }),
})
export type CloudDVersionRow = ReturnType<typeof cloudDVersions.row>
