import type { Entity } from '../../store/entity.ts'
import { ORIGINS } from '../../work/report/model.ts'
import type { FindKeys } from '../../work/report/remembered-keys.ts'
import type { ContentRow } from '../../work/report/store.ts'

/** A record of a key that reports list. */
export interface ReportedKey {
  readonly uri: string
  readonly gone: boolean
  readonly key_material_origin: keyof typeof ORIGINS
}

/** The keys of one place in a report. */
export interface KeysOfPlace<K extends ReportedKey, R> {
  readonly domain: string
  readonly keys: Entity<K, R>
  readonly family: string
  /** fields of every row about a key, given the cloud's name of it, besides the origin of its material */
  readonly about: (ref: string, key: K | undefined) => ContentRow
  /** finds keys by the names in the log, if these are not their keys in the family */
  readonly find?: FindKeys<K>
  /** which records of the family have an age of their own; default: all */
  readonly isReported?: (key: K) => boolean
}

/** Fields of every row about a key of a place. */
export const aboutKey = <K extends ReportedKey, R>(
  { about }: KeysOfPlace<K, R>,
  ref: string,
  key: K | undefined,
): ContentRow => ({
  ...about(ref, key),
  origin: key === undefined ? null : ORIGINS[key.key_material_origin],
})
