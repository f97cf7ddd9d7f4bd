import type * as z from 'zod'
import { CommonVersion } from '../../../cloud/keys/model.ts'
import { versionEntity } from '../../../cloud/keys/versions/entity.ts'
import { DatacustVersionParam } from '../param.ts'

const StoredDatacustVersion = CommonVersion.omit({
  version_id: true,
  parent_key_name: true,
  is_primary: true,
  public_key: true,
}).extend({ param: DatacustVersionParam })
export type StoredDatacustVersion = z.infer<typeof StoredDatacustVersion>

const NUMBER_DIGITS = 10

/** The position of a version: its number, so that positions sort like numbers. */
export const placeOf = (version: number | string): string => String(version).padStart(NUMBER_DIGITS, '0')

/** Versions of keys, by the cloud's numbers. */
export const datacustVersions = versionEntity({
  name: 'datacust-version',
  schema: StoredDatacustVersion,
  placeOf: ({ param }) => placeOf(param.version),
  row: ({ param: { version, created } }) => ({ name: String(version), version: String(version), created }),
})
export type DatacustVersionRow = ReturnType<typeof datacustVersions.row>
