import { placeIn } from '../../../cloud/keys/place.ts'
import type { Context } from '../../../http/context.ts'
import type { KeyRotationStatus } from './model.ts'
import { cloudA } from '../adapter.ts'
import { findKey, noLongerThere } from '../../../cloud/keys/find-key.ts'
import { assertThere } from './key-rules.ts'
import { keyKind } from './kind.ts'

/**
 * Whether and when the cloud rotates the key by itself, read from the cloud now. Ours: a key that the cloud cannot
 * rotate is reported as not rotated. The record does not change.
 * @throws Refusal NOT_FOUND, STATE_CONFLICT for a gone key, and refusals of the cloud
 */
export async function rotationStatusOf(context: Context, id: string): Promise<KeyRotationStatus> {
  const { stored, container: kms } = await findKey(keyKind, context, id)
  assertThere(stored.item)
  const place = await placeIn(keyKind, context, kms.item, stored.item.region)
  const read = await cloudA.read(place, stored.item.cloud_a_param.KeyID)
  if (read === undefined) throw noLongerThere()
  const { KeyRotationEnabled = false, RotationPeriodInDays, NextRotationDate, OnDemandRotationStartDate } = read.param
  return { KeyRotationEnabled, RotationPeriodInDays, NextRotationDate, OnDemandRotationStartDate }
}
