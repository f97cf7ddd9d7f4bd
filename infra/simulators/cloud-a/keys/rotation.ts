import { ServiceError } from '../../toolkit/service-error.ts'
import type { Call, Operations } from '../wire/call.ts'
import { keyNamed, requireState } from './found-key.ts'
import { optionalChoice, optionalInteger, type Input } from '../../toolkit/aws/input.ts'
import { isSymmetric, isThere, keyArn, type HeldKey, type Material } from './keys.ts'
import { KEY_PAGES, kmsTail, pageOfItems } from '../wire/pages.ts'
import { DAY_MS, isLasting } from '../state/passing-time.ts'
import { invalidState, limitExceeded, unsupported } from '../wire/refusals.ts'

const PERIOD_DAYS = { min: 90, max: 2560 }
const STANDARD_PERIOD_DAYS = 365
const MAX_ON_DEMAND = 25
const INCLUDED = ['ROTATIONS_ONLY', 'ALL_KEY_MATERIAL'] as const

export const rotationOperations: Operations = {
  EnableKeyRotation: (call, input) => {
    const periodDays = optionalInteger(input, 'RotationPeriodInDays', PERIOD_DAYS) ?? STANDARD_PERIOD_DAYS
    const key = rotatedByTime(call, input)
    key.rotation = { periodDays, nextAt: call.state.now() + periodDays * DAY_MS }
    call.state.save([key])
    return {}
  },
  DisableKeyRotation: (call, input) => {
    const key = rotatedByTime(call, input)
    key.rotation = undefined
    call.state.save([key])
    return {}
  },
  GetKeyRotationStatus: (call, input) => {
    const key = symmetric(call, input)
    const primary = primaryOf(call, key)
    const leaving = key.deletionAt !== undefined || key.replicaWaitDays !== undefined
    const rotation = key.manager === 'AWS' ? yearly(key) : primary.rotation
    const shown = !leaving && rotation !== undefined
    return {
      KeyId: keyArn(key),
      KeyRotationEnabled: shown,
      ...(shown && { RotationPeriodInDays: rotation.periodDays, NextRotationDate: rotation.nextAt / 1000 }),
      ...(primary.rotating && { OnDemandRotationStartDate: primary.rotating.startedAt / 1000 }),
    }
  },
  RotateKeyOnDemand: (call, input) => {
    const key = symmetric(call, input)
    if (key.keyStore !== undefined) throw wrongOrigin(key)
    requireState(key, ['Enabled'])
    requirePrimary(key)
    if (key.rotating !== undefined) {
      throw new ServiceError('ConflictException', `A rotation of ${keyArn(key)} is in progress already.`)
    }
    if (key.onDemandRotations >= MAX_ON_DEMAND) {
      throw limitExceeded(`A key can be rotated on demand at most ${MAX_ON_DEMAND} times.`)
    }
    if (key.origin === 'EXTERNAL') requireWaiting(call, key)
    key.onDemandRotations++
    key.rotating = { startedAt: call.state.now(), readsLeft: call.state.delays().rotation }
    call.state.save([key])
    return { KeyId: keyArn(key) }
  },
  ListKeyRotations: (call, input) => {
    const included = optionalChoice(input, 'IncludeKeyMaterial', INCLUDED) ?? 'ROTATIONS_ONLY'
    const key = symmetric(call, input)
    const rows = key.materials.filter(({ rotatedAt }) => included === 'ALL_KEY_MATERIAL' || rotatedAt !== undefined)
    const places = rows.map((material, index) => [String(index).padStart(6, '0'), material] as const)
    const { items: shown, next } = pageOfItems(call, input, KEY_PAGES, places)
    return { Rotations: shown.map((material) => listed(call, key, material)), ...kmsTail(next) }
  },
}

function symmetric(call: Call, input: Input): HeldKey {
  const key = keyNamed(call, input)
  if (!isSymmetric(key)) throw unsupported(`${keyArn(key)} is not a symmetric encryption key.`)
  return key
}

/**
 * A key that the cloud may rotate automatically: symmetric, with material of the cloud, the primary of a multi-region
 * key.
 */
function rotatedByTime(call: Call, input: Input): HeldKey {
  const key = symmetric(call, input)
  if (key.origin !== 'AWS_KMS') throw wrongOrigin(key)
  requireState(key, ['Enabled'])
  requirePrimary(key)
  return key
}

const wrongOrigin = (key: HeldKey) =>
  unsupported(`${keyArn(key)} origin is ${key.origin} which is not valid for this operation.`)

function requirePrimary(key: HeldKey): void {
  if (key.multiRegion === undefined || key.multiRegion.primary === key.region) return
  throw unsupported(`${keyArn(key)} is a replica; its primary key is rotated.`)
}

const primaryOf = ({ state }: Call, key: HeldKey): HeldKey =>
  state.relatives(key).find(({ region }) => region === key.multiRegion?.primary) ?? key

/** Keys of the cloud's services are rotated every year, counted from their creation. */
const yearly = ({ createdAt }: HeldKey) => ({
  periodDays: STANDARD_PERIOD_DAYS,
  nextAt: createdAt + STANDARD_PERIOD_DAYS * DAY_MS,
})

function requireWaiting(call: Call, key: HeldKey): void {
  const waiting = key.materials.find((material) => !isLasting(material))
  if (waiting !== undefined && isEverywhere(call, key, waiting)) return
  throw invalidState(`${keyArn(key)} has no key material in state PENDING_ROTATION.`)
}

const isEverywhere = ({ state }: Call, key: HeldKey, { id }: Material): boolean =>
  state.relatives(key).every(({ materials }) => materials.some((each) => each.id === id && isThere(each)))

function listed(call: Call, key: HeldKey, material: Material): object {
  const { id, state, rotatedAt, rotationType, expiresAt, description } = material
  const waits = state === 'PENDING_ROTATION' && !isEverywhere(call, key, material)
  const imported = {
    ...(description !== undefined && { KeyMaterialDescription: description }),
    ImportState: isThere(material) ? 'IMPORTED' : 'PENDING_IMPORT',
    ExpirationModel: expiresAt === undefined ? 'KEY_MATERIAL_DOES_NOT_EXPIRE' : 'KEY_MATERIAL_EXPIRES',
    ...(expiresAt !== undefined && { ValidTo: expiresAt / 1000 }),
  }
  return {
    KeyId: keyArn(key),
    KeyMaterialId: id,
    KeyMaterialState: waits ? 'PENDING_MULTI_REGION_IMPORT_AND_ROTATION' : state,
    ...(key.origin === 'EXTERNAL' && imported),
    ...(rotatedAt !== undefined && { RotationDate: rotatedAt / 1000, RotationType: rotationType }),
  }
}
