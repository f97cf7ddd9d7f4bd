import { isObject, objectAt, textAt, type Body } from '../wire/body.ts'
import { isDuration, lengthOf } from '../wire/durations.ts'
import { badParameter } from '../wire/errors.ts'
import { DAY_MS, type HeldKey, type RotationPolicy } from '../vaults/held.ts'
import { seconds } from '../vaults/attributes.ts'
import { identifier, type VaultCall } from '../vaults/vault-call.ts'

const EXPIRY_LEAST_MS = 28 * DAY_MS
const ROTATION_LEAST_MS = 7 * DAY_MS

type Action = RotationPolicy['actions'][number]

/** @throws ApiError BadParameter */
function durationAt(body: Body, name: string): string | undefined {
  const text = textAt(body, name)
  if (text !== undefined && !isDuration(text)) throw badParameter(`Property '${name}' is not an ISO 8601 duration.`)
  return text
}

/** @throws ApiError BadParameter */
export function rotationPolicyIn(body: Body, before: RotationPolicy | undefined, now: number): RotationPolicy {
  const expiryTime = durationAt(objectAt(body, 'attributes') ?? {}, 'expiryTime')
  if (expiryTime !== undefined && lengthOf(expiryTime) < EXPIRY_LEAST_MS)
    throw badParameter('The expiryTime of a rotation policy must be at least 28 days.')
  const wanted = body.lifetimeActions ?? []
  if (!Array.isArray(wanted)) throw badParameter("Property 'lifetimeActions' must be a list.")
  const actions = wanted.map((each: unknown) => actionIn(each, expiryTime))
  if (new Set(actions.map(({ type }) => type)).size < actions.length)
    throw badParameter('A rotation policy has at most one action of each type.')
  return { createdAt: before?.createdAt ?? now, updatedAt: now, expiryTime, actions }
}

function actionIn(value: unknown, expiryTime: string | undefined): Action {
  const [trigger, action] = isObject(value) ? [objectAt(value, 'trigger'), objectAt(value, 'action')] : []
  const type = ['Rotate', 'Notify'].find((each) => each.toLowerCase() === textAt(action ?? {}, 'type')?.toLowerCase())
  if (trigger === undefined || (type !== 'Rotate' && type !== 'Notify'))
    throw badParameter('A lifetime action needs a trigger, and the type Rotate or Notify.')
  const timeAfterCreate = durationAt(trigger, 'timeAfterCreate')
  const timeBeforeExpiry = durationAt(trigger, 'timeBeforeExpiry')
  if ((timeAfterCreate === undefined) === (timeBeforeExpiry === undefined))
    throw badParameter('A trigger has either timeAfterCreate or timeBeforeExpiry.')
  if (type === 'Notify') {
    if (timeAfterCreate !== undefined) throw badParameter('A notification is triggered by timeBeforeExpiry alone.')
    return { type, timeBeforeExpiry }
  }
  const length = lengthOf(timeAfterCreate ?? timeBeforeExpiry ?? '')
  const expiryMs = expiryTime === undefined ? Infinity : lengthOf(expiryTime)
  if (timeBeforeExpiry !== undefined && expiryTime === undefined)
    throw badParameter('timeBeforeExpiry needs an expiryTime.')
  if (length < ROTATION_LEAST_MS || length > expiryMs - ROTATION_LEAST_MS)
    throw badParameter('A key rotates at least 7 days after its creation and 7 days before its expiry.')
  return { type, timeAfterCreate, timeBeforeExpiry }
}

/** Ours: the default policy notifies 30 days ahead, as in the cloud for a key without a policy. */
const STANDARD: readonly Action[] = [{ type: 'Notify', timeBeforeExpiry: 'P30D' }]

export function describeRotationPolicy({ vault }: VaultCall, { name, rotationPolicy: policy }: HeldKey): object {
  return {
    id: `${identifier(vault, 'keys', name)}/rotationpolicy`,
    lifetimeActions: (policy?.actions ?? STANDARD).map(({ type, ...trigger }) => ({ trigger, action: { type } })),
    attributes: {
      ...(policy?.expiryTime !== undefined && { expiryTime: policy.expiryTime }),
      ...(policy && { created: seconds(policy.createdAt), updated: seconds(policy.updatedAt) }),
    },
  }
}
