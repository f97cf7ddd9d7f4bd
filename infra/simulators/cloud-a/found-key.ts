import { ServiceError } from '../toolkit/service-error.ts'
import type { Call } from './call.ts'
import { text, type Input } from '../toolkit/aws/input.ts'
import { deriveLazy, keyArn, stateOf, type HeldKey, type KeyState } from './keys.ts'
import { countRead } from './passing-time.ts'
import { decide } from './policy.ts'
import { denied, invalidState, notFound } from './refusals.ts'
import { arnOf, partitionOf } from './regions.ts'

const ARN_FORM = /^arn:([^:]+):kms:([^:]+):([^:]+):(key\/[^:]+|alias\/[^:]+)$/

/** Operations on keys that the cloud manages itself, open to every caller. */
const MANAGED_KEY_READS = new Set([
  'DescribeKey',
  'GetKeyPolicy',
  'GetKeyRotationStatus',
  'ListAliases',
  'ListKeyPolicies',
  'ListKeyRotations',
  'ListResourceTags',
])

/**
 * The key a request names, if the caller may do this with it. Counts as a read of the key.
 * @param options.field of the request
 * @param options.aliases whether an alias or its ARN will do as well
 * @param options.action where it is not the operation's own name
 * @throws ServiceError NotFoundException, InvalidArnException, AccessDeniedException
 */
export function keyNamed(
  call: Call,
  input: Input,
  {
    field = 'KeyId',
    aliases = false,
    action = call.operation,
  }: { field?: string; aliases?: boolean; action?: string } = {},
): HeldKey {
  const name = localName(call, text(input, field, { max: 2048 }), action)
  if (name.startsWith('alias/') && !aliases) throw notFound(`Invalid keyId '${name}'`)
  const key = look(call, name.startsWith('alias/') ? aliasTarget(call, name) : name)
  requireRights(call, key, action)
  countRead(key)
  return key
}

/** @returns a key id or `alias/<name>`, of the caller's own account and region */
function localName({ caller }: Call, given: string, action: string): string {
  if (!given.startsWith('arn:')) return given
  const [, partition, region = '', account = '', resource = ''] = ARN_FORM.exec(given) ?? []
  if (partition === undefined) throw new ServiceError('InvalidArnException', `Invalid arn ${given}`)
  if (partition !== partitionOf(caller.account.cloud_name).arnName || region !== caller.region) {
    throw notFound(`Invalid arn ${region}`)
  }
  if (account !== caller.account.id) {
    throw denied(caller.arn, `kms:${action}`, given, 'because no resource-based policy allows the action')
  }
  return resource.replace(/^key\//, '')
}

/** @throws ServiceError NotFoundException, with the whole ARN, as the real service has it */
export function look({ state, caller }: Call, id: string): HeldKey {
  const key = state.key(caller.account.id, caller.region, id)
  if (key === undefined || key.hiddenReads > 0) {
    if (key !== undefined) key.hiddenReads--
    throw notFound(`Key '${keyArn({ id, account: caller.account.id, region: caller.region })}' does not exist`)
  }
  deriveLazy(key, state.secret)
  return key
}

function aliasTarget({ state, caller }: Call, name: string): string {
  const alias = state.alias(caller.account.id, caller.region, name)
  if (alias !== undefined) return alias.target
  throw notFound(`Alias ${arnOf('kms', caller.region, caller.account.id, name)} is not found.`)
}

/** @throws ServiceError AccessDeniedException */
export function requireRights({ operation, caller }: Call, key: HeldKey, action: string): void {
  if (key.manager === 'AWS' && !MANAGED_KEY_READS.has(operation)) {
    throw denied(caller.arn, `kms:${action}`, keyArn(key), 'because no resource-based policy allows the action')
  }
  const decision = decide(key.policy, caller, `kms:${action}`)
  if (decision === 'Allow') return
  const why =
    decision === 'Deny'
      ? 'with an explicit deny in a resource-based policy'
      : 'because no resource-based policy allows the action'
  throw denied(caller.arn, `kms:${action}`, keyArn(key), why)
}

const WORDS: Partial<Readonly<Record<KeyState, string>>> = {
  Creating: 'being created',
  PendingDeletion: 'pending deletion',
  PendingImport: 'pending import',
  PendingReplicaDeletion: 'pending replica deletion',
  Unavailable: 'unavailable',
  Updating: 'being updated',
}

/** All states but those of a key that is on its way out. */
export const NOT_LEAVING: readonly KeyState[] = [
  'Enabled',
  'Disabled',
  'PendingImport',
  'Creating',
  'Unavailable',
  'Updating',
]

/** @throws ServiceError DisabledException for a disabled key, KMSInvalidStateException in any other state not named */
export function requireState(key: HeldKey, allowed: readonly KeyState[]): void {
  const state = stateOf(key)
  if (allowed.includes(state)) return
  if (state === 'Disabled') throw new ServiceError('DisabledException', `${keyArn(key)} is disabled.`)
  throw invalidState(`${keyArn(key)} is ${WORDS[state] ?? 'enabled'}.`)
}
