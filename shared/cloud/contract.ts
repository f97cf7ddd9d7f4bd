import type { KeyMaterial } from '../crypto/key-material.ts'
import type { Journal } from '../base/journal.ts'
import type { RefPage, Survey } from '../work/synchronize/synchronized.ts'

export type { RefPage, Survey }

/**
 * A key as its cloud describes it. `ref` identifies it within its place for its whole life. `param` is the description
 * in the interface's words, built anew at every reading and always in the same order, so that equal means unchanged.
 */
export interface RemoteKey<Param extends object> {
  readonly ref: string
  readonly param: Param
}

/** The step in which every cloud records the ref of a key that it created, before the key is used. */
export const MADE = 'made'

/**
 * Verbs that every cloud has. `Connection` contains the opened credentials, `Place` a location of keys with the
 * connection and a time budget, and `Spec` the properties of a new key. Verbs of clouds whose keys have versions are in
 * `Versioning`, below. Any other verb of a cloud is in its own folder.
 *
 * Every verb throws only `Refusal`s: with a reason `CLOUD_…` (the cloud's own code in the message, no secrets; the
 * reply as cause), or RULE_BROKEN for a fault that is visible without calling the cloud.
 */
export interface Cloud<Connection, Place, Spec, Key extends RemoteKey<object>> {
  /** Verifies the connection with one read. */
  test(connection: Connection, budget: AbortSignal): Promise<void>
  /** References of the place's keys, one page at a time, in an order of the cloud's own. */
  refs(place: Place, cursor: string | undefined): Promise<RefPage>
  /**
   * The key as it is now; `undefined` when the cloud no longer has it.
   * @param known what is known of it: its record, or the specification that it was created from
   */
  read(place: Place, ref: string, ...known: readonly unknown[]): Promise<Key | undefined>
  survey(place: Place): Promise<Survey<Key>>
  /** Creates a key whose material the cloud generates. */
  create(place: Place, spec: Spec, journal: Journal): Promise<Key>
  /**
   * Creates a key with our material, which is wrapped under the cloud's import key first: clear bytes never leave this
   * process.
   */
  upload(place: Place, spec: Spec, material: KeyMaterial, journal: Journal): Promise<Key>
}

/**
 * Clouds whose keys consist of independent versions: at most one encrypts, the others still decrypt. A version's `ref`
 * identifies it within its key.
 */
export interface Versioning<Place, Spec, Version extends RemoteKey<object>, Key extends RemoteKey<object>> {
  /**
   * Every version of a key, oldest first, destroyed ones included.
   * @param key as the cloud described it just before, which may save a call
   */
  versions(place: Place, ref: string, key?: Key): Promise<Version[]>
  /** `undefined` when the cloud does not have the key or the version. */
  version(place: Place, ref: string, version: string): Promise<Version | undefined>
  /**
   * A version whose material the cloud generates, usable when this returns. Not every cloud encrypts with it at once.
   */
  createVersion(place: Place, ref: string, spec: Spec, journal: Journal): Promise<Version>
  /**
   * A version with our material, wrapped as in `upload`, usable when this returns. Not every cloud encrypts with it at
   * once.
   */
  importVersion(place: Place, ref: string, spec: Spec, material: KeyMaterial, journal: Journal): Promise<Version>
}
