import type * as z from 'zod'
import { ofKeyAlone, versionEntity } from '../../../cloud/keys/versions/entity.ts'
import { versionSortKey } from '../../../store/layout.ts'
import { CloudCVersion } from './model.ts'

const StoredCloudCVersion = CloudCVersion.omit(ofKeyAlone)
export type StoredCloudCVersion = z.infer<typeof StoredCloudCVersion>

/** Versions, in the order of their numbers. */
export const cloudCVersions = versionEntity({
  name: 'cloud-c-version',
  schema: StoredCloudCVersion,
  placeOf: ({ cloud_c_params: { version } }) => versionSortKey(Number(version)),
  row: ({ cloud_c_params: { version: number, name, algorithm } }) => ({
    version: Number(number),
    number,
    name,
    algorithm,
  }),
})
export type CloudCVersionRow = ReturnType<typeof cloudCVersions.row>
