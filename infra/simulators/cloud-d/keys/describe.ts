import { given } from '../../toolkit/given.ts'
import { publicKeyOf } from '../../toolkit/key-pairs.ts'
import type { HeldKey, HeldVersion } from '../state/held.ts'
import type { CloudState } from '../state/state.ts'
import { deletionTime, iso } from '../vaults/describe.ts'

/** The id of a key or of one of its versions at the external key manager. */
const externalDetails = ({ externalKeyId }: HeldKey, version: HeldVersion | undefined): object =>
  externalKeyId === undefined
    ? {}
    : { externalKeyReferenceDetails: { externalKeyId, externalKeyVersionId: version?.externalVersionId } }

const currentOf = ({ versions, current }: HeldKey): HeldVersion | undefined => versions.find(({ id }) => id === current)

const common = (key: HeldKey): object => ({
  compartmentId: key.compartmentId,
  definedTags: key.definedTags,
  displayName: key.displayName,
  freeformTags: key.freeformTags,
  id: key.id,
  lifecycleState: key.state,
  timeCreated: iso(key.createdAt),
  vaultId: key.vaultId,
  protectionMode: key.protectionMode,
  isAutoRotationEnabled: key.autoRotation !== undefined,
  ...externalDetails(key, currentOf(key)),
})

/** An item of a list: without shape and current version. */
export const describeKeySummary = (key: HeldKey): object => ({ ...common(key), algorithm: key.shape.algorithm })

export const describeKey = (key: HeldKey): object => ({
  ...common(key),
  currentKeyVersion: key.current,
  keyShape: key.shape,
  ...deletionTime(key.deleteAt),
  isPrimary: true,
  ...given('restoredFromKeyId', key.restoredFrom),
  ...(key.autoRotation !== undefined && {
    autoKeyRotationDetails: {
      rotationIntervalInDays: key.autoRotation.days,
      timeOfNextRotation: iso(key.autoRotation.nextAt),
      ...(key.autoRotation.lastAt !== undefined && {
        timeOfLastRotation: iso(key.autoRotation.lastAt),
        lastRotationStatus: 'SUCCESS',
      }),
    },
  }),
})

/** An item of a list: without public key. */
export const describeVersionSummary = (key: HeldKey, version: HeldVersion): object => ({
  compartmentId: key.compartmentId,
  id: version.id,
  keyId: key.id,
  lifecycleState: version.state,
  origin: version.origin,
  timeCreated: iso(version.createdAt),
  ...deletionTime(version.deleteAt),
  vaultId: key.vaultId,
  isAutoRotated: version.isAutoRotated === true,
  ...externalDetails(key, version),
})

/** One version, with the public key of a pair once it exists. */
export async function describeVersion(state: CloudState, key: HeldKey, version: HeldVersion): Promise<object> {
  const hasPublicKey = key.shape.algorithm !== 'AES' && version.state !== 'DELETED' && version.state !== 'CREATING'
  const pem = hasPublicKey
    ? publicKeyOf(await state.bytesOf(key, version))
        .export({ format: 'pem', type: 'spki' })
        .toString()
    : undefined
  return { ...describeVersionSummary(key, version), isPrimary: true, ...given('publicKey', pem) }
}
