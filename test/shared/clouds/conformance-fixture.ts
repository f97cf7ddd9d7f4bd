import { expect } from 'vitest'
import type { Cloud, RemoteKey, Versioning } from '../../../shared/cloud/contract.ts'
import type { KeyMaterial } from '../../../shared/crypto/key-material.ts'
import { Refusal } from '../../../shared/base/errors.ts'
import { found, type Marker } from '../../support/markers.ts'
import { Stopped, type Stop } from './memory-journal.ts'

/** States of a key between which the operations move it; clouds have more. */
type KeyState = 'enabled' | 'disabled' | 'awaiting deletion' | 'without material'

/** Operations that only some clouds have; the suite tests them wherever they exist. */
interface Capabilities<Place, Import, Version> {
  enableVersion(place: Place, ref: string, version: string): Promise<Version>
  disableVersion(place: Place, ref: string, version: string): Promise<Version>
  retire(place: Place, ref: string): Promise<void>
  enable(place: Place, ref: string): Promise<void>
  disable(place: Place, ref: string): Promise<void>
  scheduleDeletion(place: Place, ref: string, days: number): Promise<void>
  cancelDeletion(place: Place, ref: string): Promise<void>
  addTags(place: Place, ref: string, tags: readonly { readonly name: string; readonly value: string }[]): Promise<void>
  removeTags(place: Place, ref: string, names: readonly string[]): Promise<void>
  addAlias(place: Place, ref: string, alias: string): Promise<void>
  moveAlias(place: Place, ref: string, alias: string): Promise<void>
  deleteAlias(place: Place, ref: string, alias: string): Promise<void>
  holderOf(place: Place, alias: string): Promise<string | undefined>
  importMaterial(place: Place, ref: string, material: KeyMaterial, how: Import): Promise<string | undefined>
  deleteMaterial(place: Place, ref: string, materialId: string | undefined): Promise<void>
}

/** A cloud under test, with a valid place, and access to its state without the adapter. */
export interface Fixture<
  Connection,
  Place,
  Spec,
  Key extends RemoteKey<object>,
  Import,
  VersionSpec,
  Version extends RemoteKey<object>,
> {
  readonly cloud: Cloud<Connection, Place, Spec, Key> &
    Partial<Versioning<Place, VersionSpec, Version, Key> & Capabilities<Place, Import, Version>>
  readonly connection: () => Connection
  /** The same connection with credentials that the cloud refuses. */
  readonly wrongConnection: () => Connection
  /** @param budget default: 20 seconds */
  readonly place: (budget?: AbortSignal) => Place
  /** A symmetric key that encrypts; `alias` where the cloud has aliases. */
  readonly spec: (alias?: string) => Spec
  /** Material that fits `spec`, with new bytes each time. */
  readonly material: () => KeyMaterial
  /** A kind of key for which `material` does not fit. */
  readonly otherSpec: () => Spec
  /** For clouds that allow import and deletion of material. */
  readonly importing?: () => Import
  /** For clouds whose keys have versions; `material` fits a version of this kind. */
  readonly versionSpec?: () => VersionSpec
  readonly versionState?: (version: Version) => KeyState | undefined
  readonly state: (key: Key) => KeyState | undefined
  readonly tags: (key: Key) => Readonly<Record<string, string>>
  /** Texts that no error may contain. */
  readonly secrets: () => readonly Marker[]
  /** Reads and uses keys without the adapter. */
  readonly there: {
    readonly refs: () => readonly string[]
    /** Keys that are marked with the id of a unit of work. */
    readonly marked: (id: string) => readonly string[]
    readonly encrypt: (ref: string, plaintext: Buffer) => Promise<Buffer>
    readonly decrypt: (ref: string, ciphertext: Buffer) => Promise<Buffer>
    /** @param version default: the one in use */
    readonly bytes: (ref: string, version?: string) => Promise<Buffer | undefined>
  }
}

/** The refusal of the work, which must contain none of the secrets; fails when the work is not refused. */
export async function refusalOf(work: Promise<unknown>, secrets: readonly Marker[] = []): Promise<Refusal> {
  const error: unknown = await work.then(
    () => 'no error',
    (reason: unknown) => reason,
  )
  if (!(error instanceof Refusal)) throw new Error('It was not refused.', { cause: error })
  const shown = [error.message, String(error.cause), JSON.stringify([error, error.cause])].join('\n')
  expect(found(secrets, [{ name: 'the error', content: Buffer.from(shown) }])).toEqual([])
  return error
}

export const clear = ({ bytes }: KeyMaterial): Buffer => bytes.use((own) => Buffer.from(own))
export const materialMarker = (material: KeyMaterial): Marker => ({ what: 'the material', bytes: clear(material) })

/** Runs work twice that must be safe to repeat. */
export async function twice(work: () => Promise<unknown>): Promise<void> {
  await work()
  await work()
}

export async function isStopped(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return false
  } catch (error) {
    if (error instanceof Stopped) return true
    throw error
  }
}

/**
 * Runs a story that is stopped at its first step, then one that is stopped at its second step, until it ends without a
 * stop.
 */
export async function stoppedAtEachStep(noted: boolean, story: (stop: Stop) => Promise<boolean>): Promise<void> {
  let step = 1
  while (await story({ step, noted })) step++
  expect(step).toBeGreaterThan(1)
}
