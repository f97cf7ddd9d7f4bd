import type * as z from 'zod'
import { entity, type Entity } from '../../../store/entity.ts'
import { materialFamilies, servedFamily } from '../key-users.ts'

/** Fields that lists of versions filter and sort by. */
interface Listed {
  readonly state: string
  readonly gone: boolean
  readonly deleted: boolean
  readonly key_material_origin: string
  readonly createdAt: string
}
interface Version extends Listed {
  readonly id: string
  readonly parent_key_id: string
  readonly local_key_id?: string | undefined
}

/** Particulars of the records of one cloud's versions. */
interface Declared<T, R extends object> {
  readonly name: string
  readonly schema: z.ZodType<T>
  /** the version of a local key that a version uses here, without a copy at the cloud */
  readonly servedBy?: (version: T) => string | undefined
  /** its position among the versions of its key */
  readonly placeOf: (version: T) => string
  /** further fields that lists filter and sort by */
  readonly row: (version: T) => R
}

/** The family of a key's versions, in their order. */
export const versionsOf = (keyId: string): string => `key:${keyId}`

/** Fields of a version as shown that its record lacks: only the key records the primary, so that it always has one. */
export const ofKeyAlone = { version_id: true, is_primary: true, parent_key_name: true } as const

/**
 * Reads served: a version by id; the versions of a key, or one of them by its position; those that use a
 * version of a local key. They are removed with their key.
 */
export const versionEntity = <T extends Version, R extends object>({
  name,
  schema,
  servedBy = () => undefined,
  placeOf,
  row,
}: Declared<T, R>): Entity<T, Listed & { readonly version_id: string } & R> =>
  entity({
    name,
    schema,
    id: ({ id }) => id,
    sets: () => [],
    families: (version) => {
      const served = servedBy(version)
      return [
        { name: versionsOf(version.parent_key_id), key: placeOf(version), exclusive: true },
        ...(served === undefined
          ? materialFamilies(version, [version.local_key_id])
          : [servedFamily(version.id, served)]),
      ]
    },
    row: (version) => {
      const { id: version_id, state, deleted, gone, key_material_origin, createdAt } = version
      return { version_id, ...row(version), state, deleted, gone, key_material_origin, createdAt }
    },
  })
