import type { KeyMaterial } from '../crypto/key-material.ts'
import type { Journal } from '../base/journal.ts'
import type { RefPage, Survey } from '../work/synchronize/synchronized.ts'

export type { RefPage, Survey }

/**
 * A key as its cloud describes it. `ref` names it within its place for as long as it lives; `param` is the description
 * in the interface's words, made anew at every reading and always in the same order, so that equal means unchanged.
 */
export interface RemoteKey<Param extends object> {
  readonly ref: string
  readonly param: Param
}

/** The step in which every cloud notes the ref of the key it has made, before anything is done with it. */
export const MADE = 'made'

/**
 * Verbs that every cloud has. `Connection` is how it is entered, secrets opened; `Place` one of its places where keys live,
 * with the connection and the time there is; `Spec` what a key of it shall be like. What only clouds with versions can do is
 * `Versioning`, below. Everything else that a cloud can do stands in its own folder.
 *
 * Every verb throws only `Refusal`s of the reasons `CLOUD_…` (the cloud's own code in the message, nothing secret; the
 * reply as cause), or RULE_BROKEN for what can be told without asking the cloud.
 */
export interface Cloud<Connection, Place, Spec, Key extends RemoteKey<object>> {
  /** Proves the connection with one read. */
  test(connection: Connection, budget: AbortSignal): Promise<void>
  /** References of the place's keys, one page at a time, in an order of the cloud's own. */
  refs(place: Place, cursor: string | undefined): Promise<RefPage>
  /** The key as it is now; `undefined` when the cloud no longer has it. */
  read(place: Place, ref: string): Promise<Key | undefined>
  survey(place: Place): Promise<Survey<Key>>
  /** A key whose material the cloud makes. */
  create(place: Place, spec: Spec, journal: Journal): Promise<Key>
  /** A key with our material, which is wrapped under the cloud's import key first: clear bytes never leave this process. */
  upload(place: Place, spec: Spec, material: KeyMaterial, journal: Journal): Promise<Key>
}

/**
 * Clouds in which a key is a row of versions that live each for itself: one of them may be the one that encrypts, the
 * older ones go on decrypting. A version's `ref` names it within its key.
 */
export interface Versioning<Place, Spec, Version extends RemoteKey<object>> {
  /** Every version of a key, oldest first, those that are destroyed too. */
  versions(place: Place, ref: string): Promise<Version[]>
  /** `undefined` when the cloud does not have the key, or not that version of it. */
  version(place: Place, ref: string, version: string): Promise<Version | undefined>
  /** A version whose material the cloud makes, usable when this returns. It encrypts nothing until it is told to. */
  createVersion(place: Place, ref: string, spec: Spec, journal: Journal): Promise<Version>
  /** A version with our material, wrapped as in `upload`, usable when this returns. It encrypts nothing until it is told to. */
  importVersion(place: Place, ref: string, spec: Spec, material: KeyMaterial, journal: Journal): Promise<Version>
  /** Safe to repeat, both. @returns the version as it is then @throws Refusal CLOUD_CONFLICT in any other state */
  enableVersion(place: Place, ref: string, version: string): Promise<Version>
  disableVersion(place: Place, ref: string, version: string): Promise<Version>
}
