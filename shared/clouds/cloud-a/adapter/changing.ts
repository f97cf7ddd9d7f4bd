import {
  CancelKeyDeletionCommand,
  DisableKeyCommand,
  DisableKeyRotationCommand,
  EnableKeyCommand,
  EnableKeyRotationCommand,
  PutKeyPolicyCommand,
  RotateKeyOnDemandCommand,
  ScheduleKeyDeletionCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateKeyDescriptionCommand,
  UpdatePrimaryRegionCommand,
} from '@aws-sdk/client-kms'
import type { KeyMetadata, KMSClient } from '@aws-sdk/client-kms'
import { Refusal } from '../../../base/errors.ts'
import { fieldsOf } from '../../../base/json.ts'
import { onKms, type Options } from './client.ts'
import { mayHaveTakenEffect } from './errors.ts'
import { defaultPolicy, denyEncryption } from './policy.ts'
import { describe, policyOf, rotationStatusOf } from './reading.ts'
import type { CloudAPlace, Tag } from './types.ts'

/** A change whose answer is not needed. */
const change = async (
  place: CloudAPlace,
  send: (kms: KMSClient, options: Options) => Promise<unknown>,
): Promise<void> => {
  await onKms(place, send)
}

/**
 * A change that the cloud refuses if the key is already in the wanted state, for example after a lost answer.
 * @param isSo whether the key is in that state; then the refusal is ignored
 */
async function changeUnless(
  place: CloudAPlace,
  ref: string,
  isSo: (key: KeyMetadata) => boolean,
  send: (kms: KMSClient, options: Options) => Promise<unknown>,
): Promise<void> {
  try {
    await change(place, send)
  } catch (error) {
    const mayBeSo = error instanceof Refusal && (error.reason === 'CLOUD_CONFLICT' || error.reason === 'CLOUD_INVALID')
    if (!mayBeSo || !isSo(await describe(place, ref))) throw error
  }
}

export const enable = (place: CloudAPlace, ref: string): Promise<void> =>
  change(place, (kms, options) => kms.send(new EnableKeyCommand({ KeyId: ref }), options))

export const disable = (place: CloudAPlace, ref: string): Promise<void> =>
  change(place, (kms, options) => kms.send(new DisableKeyCommand({ KeyId: ref }), options))

const awaitsDeletion = ({ KeyState }: KeyMetadata): boolean =>
  KeyState === 'PendingDeletion' || KeyState === 'PendingReplicaDeletion'

export const scheduleDeletion = (place: CloudAPlace, ref: string, days: number): Promise<void> =>
  changeUnless(place, ref, awaitsDeletion, (kms, options) =>
    kms.send(new ScheduleKeyDeletionCommand({ KeyId: ref, PendingWindowInDays: days }), options),
  )

/** A key that is not scheduled for deletion stays as it is. */
export const cancelDeletion = (place: CloudAPlace, ref: string): Promise<void> =>
  changeUnless(
    place,
    ref,
    (key) => !awaitsDeletion(key),
    (kms, options) => kms.send(new CancelKeyDeletionCommand({ KeyId: ref }), options),
  )

export const addTags = (place: CloudAPlace, ref: string, tags: readonly Tag[]): Promise<void> =>
  change(place, (kms, options) => {
    const Tags = tags.map(({ name, value }) => ({ TagKey: name, TagValue: value }))
    return kms.send(new TagResourceCommand({ KeyId: ref, Tags }), options)
  })

export const removeTags = (place: CloudAPlace, ref: string, names: readonly string[]): Promise<void> =>
  change(place, (kms, options) => kms.send(new UntagResourceCommand({ KeyId: ref, TagKeys: [...names] }), options))

export const setDescription = (place: CloudAPlace, ref: string, description: string): Promise<void> =>
  change(place, (kms, options) =>
    kms.send(new UpdateKeyDescriptionCommand({ KeyId: ref, Description: description }), options),
  )

export const setPolicy = (place: CloudAPlace, ref: string, policy: string, bypass: boolean): Promise<void> =>
  change(place, (kms, options) =>
    kms.send(
      new PutKeyPolicyCommand({
        KeyId: ref,
        PolicyName: 'default',
        Policy: policy,
        BypassPolicyLockoutSafetyCheck: bypass,
      }),
      options,
    ),
  )

async function forbidEncryption(
  place: CloudAPlace,
  ref: string,
  scope: Parameters<typeof denyEncryption>[1],
): Promise<void> {
  const text = await policyOf(place, ref)
  const before =
    text === undefined ? defaultPolicy(place.connection.cloud_name, place.account) : fieldsOf(JSON.parse(text)) // the cloud accepts only objects as policies
  const after = denyEncryption(before, scope)
  if (after !== before) await setPolicy(place, ref, JSON.stringify(after), false)
}

export const retire = (place: CloudAPlace, ref: string): Promise<void> =>
  forbidEncryption(place, ref, { account: place.account })

export const retireForAllAccounts = (place: CloudAPlace, ref: string): Promise<void> =>
  forbidEncryption(place, ref, 'everybody')

export const setOwnRotation = (place: CloudAPlace, ref: string, days: number | 'off'): Promise<void> =>
  change(place, (kms, options) =>
    days === 'off'
      ? kms.send(new DisableKeyRotationCommand({ KeyId: ref }), options)
      : kms.send(new EnableKeyRotationCommand({ KeyId: ref, RotationPeriodInDays: days }), options),
  )

/**
 * Never repeated blindly, since a key has a limited number of rotations: when the answer is lost, the key's description
 * shows whether one is under way.
 */
export async function rotateNow(place: CloudAPlace, ref: string): Promise<void> {
  try {
    await change(place, (kms, options) => kms.send(new RotateKeyOnDemandCommand({ KeyId: ref }), options))
  } catch (error) {
    if (!mayHaveTakenEffect(error)) throw error
    const { OnDemandRotationStartDate: since } = await rotationStatusOf(place, ref)
    if (since === undefined) throw error
  }
}

export const setPrimaryRegion = (place: CloudAPlace, ref: string, region: string): Promise<void> =>
  changeUnless(
    place,
    ref,
    ({ MultiRegionConfiguration: shape }) => shape?.PrimaryKey?.Region === region,
    (kms, options) => kms.send(new UpdatePrimaryRegionCommand({ KeyId: ref, PrimaryRegion: region }), options),
  )
