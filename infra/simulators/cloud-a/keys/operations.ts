import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../toolkit/service-error.ts'
import type { Call, Operations } from '../wire/call.ts'
import { keyNamed, NOT_LEAVING, requireState } from './found-key.ts'
import { flag, optionalChoice, optionalInteger, optionalText, text, type Input } from '../../toolkit/aws/input.ts'
import { FOREIGN_SPECS, generateMaterial, KEY_SPECS, specRow, type KeySpecRow, type KeyUsage } from './key-specs.ts'
import { describeKey, keyArn, materialId, newKey, newMaterial, stateOf, type HeldKey, type Material } from './keys.ts'
import { KEY_PAGES, kmsTail, pageOf } from '../wire/pages.ts'
import { DAY_MS } from '../state/passing-time.ts'
import { acceptPolicy, defaultPolicy } from '../authentication/policy.ts'
import { invalidState, unsupported, validation } from '../wire/refusals.ts'
import { partitionOf } from '../accounts/regions.ts'
import { keyPlace, ORIGINS, requireFree } from './key-place.ts'
import { readTags } from './tags.ts'

const USAGES: readonly KeyUsage[] = ['ENCRYPT_DECRYPT', 'SIGN_VERIFY', 'GENERATE_VERIFY_MAC', 'KEY_AGREEMENT']
const FOREIGN_USAGES = ['ENCAPSULATE_DECAPSULATE'] as const
export const POLICY_LENGTH = { max: 131_072 }
export const DESCRIPTION_LENGTH = { min: 0, max: 8192 }
const WINDOW_DAYS = { min: 7, max: 30 }
const STANDARD_WINDOW_DAYS = 30

export const keyOperations: Operations = {
  CreateKey: async (call, input) => {
    const row = specOf(input)
    const origin = optionalChoice(input, 'Origin', ORIGINS) ?? 'AWS_KMS'
    const usage = usageOf(input, row)
    const policy = optionalText(input, 'Policy', POLICY_LENGTH)
    const bypass = flag(input, 'BypassPolicyLockoutSafetyCheck')
    const { account, region } = call.caller
    const multiRegion = flag(input, 'MultiRegion')
    const id = multiRegion ? `mrk-${randomUUID().replaceAll('-', '')}` : randomUUID()
    const arn = keyArn({ id, account: account.id, region })
    const keyStore = await keyPlace(call, input, { row, origin, multiRegion, arn })
    const key = newKey({
      id,
      account: account.id,
      region,
      createdAt: call.state.now(),
      spec: row.name,
      usage,
      origin,
      keyStore,
      description: optionalText(input, 'Description', DESCRIPTION_LENGTH) ?? '',
      policy: policy === undefined ? undefined : acceptPolicy(call, policy, { bypass }),
      tags: readTags(input),
      multiRegion: multiRegion ? { primary: region, regions: [region] } : undefined,
      hiddenReads: call.state.delays().hidden,
    })
    if (origin !== 'EXTERNAL')
      key.materials = [await firstMaterial(key, row, partitionOf(account.cloud_name).symmetricBytes)]
    if (keyStore !== undefined) requireFree(call, keyStore)
    call.state.save([key])
    return { KeyMetadata: describeKey(key) }
  },
  DescribeKey: (call, input) => ({ KeyMetadata: describeKey(keyNamed(call, input, { aliases: true })) }),
  ListKeys: (call, input) => {
    const { account, region } = call.caller
    const { names, next } = pageOf(call, input, KEY_PAGES, call.state.shelf(account.id, region).keyIds)
    const keys = names.flatMap((id) => call.state.key(account.id, region, id) ?? [])
    const shown = keys.filter(({ hiddenReads }) => hiddenReads === 0)
    return { Keys: shown.map((key) => ({ KeyId: key.id, KeyArn: keyArn(key) })), ...kmsTail(next) }
  },
  EnableKey: (call, input) => setEnabled(call, input, true),
  DisableKey: (call, input) => setEnabled(call, input, false),
  UpdateKeyDescription: (call, input) => {
    const description = text(input, 'Description', DESCRIPTION_LENGTH)
    const key = keyNamed(call, input)
    requireState(key, NOT_LEAVING)
    key.description = description
    call.state.save([key])
    return {}
  },
  ScheduleKeyDeletion: (call, input) => {
    const days = optionalInteger(input, 'PendingWindowInDays', WINDOW_DAYS) ?? STANDARD_WINDOW_DAYS
    const key = keyNamed(call, input)
    requireState(key, NOT_LEAVING)
    const answer = { KeyId: keyArn(key), PendingWindowInDays: days }
    if (isPrimaryWithReplicas(key)) {
      key.replicaWaitDays = days
      call.state.save([key])
      return { ...answer, KeyState: stateOf(key) }
    }
    key.deletionAt = call.state.now() + days * DAY_MS
    call.state.save([key])
    return { ...answer, DeletionDate: key.deletionAt / 1000, KeyState: stateOf(key) }
  },
  CancelKeyDeletion: (call, input) => {
    const key = keyNamed(call, input)
    if (key.deletionAt === undefined && key.replicaWaitDays === undefined) {
      throw invalidState(`${keyArn(key)} is not pending deletion.`)
    }
    key.deletionAt = undefined
    key.replicaWaitDays = undefined
    key.enabled = false
    call.state.save([key])
    return { KeyId: keyArn(key) }
  },
  GetKeyPolicy: (call, input) => {
    requirePolicyName(input)
    const key = keyNamed(call, input)
    return { Policy: key.policy ?? defaultPolicy(call.caller.account), PolicyName: 'default' }
  },
  PutKeyPolicy: (call, input) => {
    requirePolicyName(input)
    const policy = text(input, 'Policy', POLICY_LENGTH)
    const bypass = flag(input, 'BypassPolicyLockoutSafetyCheck')
    const key = keyNamed(call, input)
    key.policy = acceptPolicy(call, policy, { bypass })
    call.state.save([key])
    return {}
  },
  ListKeyPolicies: (call, input) => {
    keyNamed(call, input)
    return { PolicyNames: ['default'], Truncated: false }
  },
}

export const isPrimaryWithReplicas = ({ region, multiRegion }: HeldKey): boolean =>
  multiRegion?.primary === region && multiRegion.regions.length > 1

/** RSA keys are generated at first use, which saves half a second per key and cannot be observed. */
async function firstMaterial(key: HeldKey, row: KeySpecRow, symmetricBytes: number): Promise<Material> {
  if (row.family === 'rsa') return newMaterial({ lazy: true })
  const bytes = await generateMaterial(row, symmetricBytes)
  return newMaterial({ bytes, id: materialId(key.id, bytes) })
}

/** `CustomerMasterKeySpec` is the old name of `KeySpec`; a request may have both with the same value. */
function specOf(input: Input): KeySpecRow {
  const names = [...KEY_SPECS.keys(), ...FOREIGN_SPECS]
  const spec = optionalChoice(input, 'KeySpec', names)
  const oldName = optionalChoice(input, 'CustomerMasterKeySpec', names)
  if (spec !== undefined && oldName !== undefined && spec !== oldName) {
    throw validation('KeySpec and CustomerMasterKeySpec must not differ.')
  }
  const name = spec ?? oldName ?? 'SYMMETRIC_DEFAULT'
  if (!KEY_SPECS.has(name)) throw unsupported(`The key spec ${name} is not supported in this region.`)
  return specRow(name)
}

function usageOf(input: Input, row: KeySpecRow): KeyUsage {
  const given = optionalChoice<string>(input, 'KeyUsage', [...USAGES, ...FOREIGN_USAGES])
  const usage = USAGES.find((each) => each === (given ?? row.defaultUsage))
  if (given === undefined && usage === undefined) {
    throw validation(`You must specify a KeyUsage value for all KMS keys except for symmetric encryption keys.`)
  }
  if (usage === undefined || row.usages[usage] === undefined) {
    throw validation(`KeyUsage ${String(given)} is not compatible with KeySpec ${row.name}`)
  }
  return usage
}

function requirePolicyName(input: Input): void {
  const name = optionalText(input, 'PolicyName', { max: 128 }) ?? 'default'
  if (name !== 'default') throw new ServiceError('NotFoundException', `No such policy exists: ${name}`)
}

function setEnabled(call: Call, input: Input, enabled: boolean): object {
  const key = keyNamed(call, input)
  requireState(key, ['Enabled', 'Disabled', 'Unavailable'])
  key.enabled = enabled
  call.state.save([key])
  return {}
}
