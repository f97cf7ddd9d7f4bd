import { ServiceError } from '../../toolkit/service-error.ts'
import type { Call } from '../wire/call.ts'
import { contextOf, carriedGrants, grantAllows } from '../grants/grants.ts'
import { text, type Input } from '../../toolkit/aws/input.ts'
import { deriveLazy, keyArn, stateOf, type HeldKey, type KeyState } from './keys.ts'
import { countRead } from '../state/passing-time.ts'
import { decide, defaultPolicy } from '../authentication/policy.ts'
import { denied, invalidState, notFound } from '../wire/refusals.ts'
import { arnOf, partitionOf } from '../accounts/regions.ts'

const ARN_FORM = /^arn:([^:]+):kms:([^:]+):([^:]+):(key\/[^:]+|alias\/[^:]+)$/

/** Operations on keys of the cloud's services that every caller may use. */
const MANAGED_KEY_READS = new Set([
  'DescribeKey',
  'GetKeyPolicy',
  'GetKeyRotationStatus',
  'ListAliases',
  'ListGrants',
  'ListKeyPolicies',
  'ListKeyRotations',
  'ListResourceTags',
])

/** Operations that accept keys of another account, named by ARN. */
const BEYOND_ACCOUNT = new Set([
  'CreateGrant',
  'Decrypt',
  'DeriveSharedSecret',
  'DescribeKey',
  'Encrypt',
  'GenerateDataKey',
  'GenerateDataKeyPair',
  'GenerateDataKeyPairWithoutPlaintext',
  'GenerateDataKeyWithoutPlaintext',
  'GenerateMac',
  'GetKeyRotationStatus',
  'GetPublicKey',
  'ListGrants',
  'ReEncrypt',
  'RevokeGrant',
  'Sign',
  'Verify',
  'VerifyMac',
])

/**
 * The key that a request names, if the caller may use the operation on it. Counts as a read of the key.
 * @param options.field of the request
 * @param options.aliases whether an alias or its ARN is accepted too
 * @param options.action if it differs from the operation's name
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
  const given = text(input, field, { max: 2048 })
  const { name, account } = localName(call, given)
  if (account !== call.caller.account.id) return foreignKey(call, input, { given, name, account, aliases, action })
  if (name.startsWith('alias/') && !aliases) throw notFound(`Invalid keyId '${name}'`)
  const key = look(call, name.startsWith('alias/') ? aliasTarget(call, name) : name)
  requireRights(call, key, action, input)
  countRead(key)
  return key
}

/** The key of a RetireGrant, of any account: the grant decides who may use it, not the key policy. */
export function keyForRetiring(call: Call, input: Input): HeldKey {
  const { name, account } = localName(call, text(input, 'KeyId', { max: 2048 }))
  return look(call, name, account)
}

interface Foreign {
  readonly given: string
  readonly name: string
  readonly account: string
  readonly aliases: boolean
  readonly action: string
}

/** A key of another account. A missing key and a forbidden key get the same refusal. */
function foreignKey(call: Call, input: Input, { given, name, account, aliases, action }: Foreign): HeldKey {
  const { state, caller, operation } = call
  const target = name.startsWith('alias/') && aliases ? state.alias(account, caller.region, name)?.target : name
  const key = BEYOND_ACCOUNT.has(operation) ? state.key(account, caller.region, target ?? '') : undefined
  if (key === undefined || key.hiddenReads > 0) {
    throw denied(caller.arn, `kms:${action}`, given, 'because no resource-based policy allows the action')
  }
  requireRights(call, key, action, input)
  countRead(key)
  deriveLazy(key, state.secret)
  return key
}

/** @returns a key id or `alias/<name>` in the caller's region */
function localName({ caller }: Call, given: string): { name: string; account: string } {
  if (!given.startsWith('arn:')) return { name: given, account: caller.account.id }
  const [, partition, region = '', account = '', resource = ''] = ARN_FORM.exec(given) ?? []
  if (partition === undefined) throw new ServiceError('InvalidArnException', `Invalid arn ${given}`)
  if (partition !== partitionOf(caller.account.cloud_name).arnName || region !== caller.region) {
    throw notFound(`Invalid arn ${region}`)
  }
  return { name: resource.replace(/^key\//, ''), account }
}

/** @throws ServiceError NotFoundException with the whole ARN, as in the real service */
export function look({ state, caller }: Call, id: string, account = caller.account.id): HeldKey {
  const key = state.key(account, caller.region, id)
  if (key === undefined || key.hiddenReads > 0) {
    if (key !== undefined) key.hiddenReads--
    throw notFound(`Key '${keyArn({ id, account, region: caller.region })}' does not exist`)
  }
  deriveLazy(key, state.secret)
  return key
}

function aliasTarget({ state, caller }: Call, name: string): string {
  const alias = state.alias(caller.account.id, caller.region, name)
  if (alias !== undefined) return alias.target
  throw notFound(`Alias ${arnOf('kms', caller.region, caller.account.id, name)} is not found.`)
}

/**
 * Requires that the key's policy or one of its grants allows the action; a denial in the policy overrides grants.
 * @param input with the encryption context and the grant tokens
 * @throws ServiceError AccessDeniedException, InvalidGrantTokenException
 */
export function requireRights(call: Call, key: HeldKey, action: string, input: Input = {}): void {
  const { operation, caller } = call
  const carried = carriedGrants(call.state.secret, caller, input)
  if (key.manager === 'AWS' && !MANAGED_KEY_READS.has(operation)) {
    throw denied(caller.arn, `kms:${action}`, keyArn(key), 'because no resource-based policy allows the action')
  }
  const decision = decisionOn(call, key, action)
  if (decision === 'Allow') return
  const use = { caller, operation: action, context: contextOf(input, action) }
  const granting = [...key.grants.values()].filter((grant) => grantAllows(grant, use))
  if (decision === 'neither' && granting.some((grant) => carried.has(grant.id) || isSeen(grant))) return
  const why =
    decision === 'Deny'
      ? 'with an explicit deny in a resource-based policy'
      : 'because no resource-based policy allows the action'
  throw denied(caller.arn, `kms:${action}`, keyArn(key), why)
}

/** The decision of the key's policy, also for a caller of another account. */
function decisionOn({ caller, accounts }: Call, { policy, account }: HeldKey, action: string) {
  const owner = accounts.get(account) ?? caller.account
  return decide(policy ?? defaultPolicy(owner), caller, `kms:${action}`)
}

export const isAllowedByPolicy = (call: Call, key: HeldKey, action: string): boolean =>
  decisionOn(call, key, action) === 'Allow'

/** A new grant is hidden from its first uses. */
function isSeen(grant: { hiddenReads: number }): boolean {
  if (grant.hiddenReads === 0) return true
  grant.hiddenReads--
  return false
}

const WORDS: Partial<Readonly<Record<KeyState, string>>> = {
  Creating: 'being created',
  PendingDeletion: 'pending deletion',
  PendingImport: 'pending import',
  PendingReplicaDeletion: 'pending replica deletion',
  Unavailable: 'unavailable',
  Updating: 'being updated',
}

/** All states except those of a key that waits for its deletion. */
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
