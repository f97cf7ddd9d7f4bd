import { ServiceError } from '../../toolkit/service-error.ts'
import type { Operations } from '../wire/call.ts'
import { keyNamed, requireState } from './found-key.ts'
import { flag, optionalText, text } from '../../toolkit/aws/input.ts'
import { describeKey, keyArn, newKey, stateOf, type HeldKey } from './keys.ts'
import { isLasting } from '../state/passing-time.ts'
import { acceptPolicy, defaultPolicy } from '../authentication/policy.ts'
import { invalidState, notFound, unsupported, validation } from '../wire/refusals.ts'
import { partitionOf, worksIn } from '../accounts/regions.ts'
import { DESCRIPTION_LENGTH, POLICY_LENGTH } from './operations.ts'
import { readTags } from './tags.ts'

const REGION_LENGTH = { max: 32, pattern: /^([a-z]+-){2,3}\d+$/ }

export const multiRegionOperations: Operations = {
  ReplicateKey: async (call, input) => {
    const region = text(input, 'ReplicaRegion', REGION_LENGTH)
    const policy = optionalText(input, 'Policy', POLICY_LENGTH)
    const bypass = flag(input, 'BypassPolicyLockoutSafetyCheck')
    const description = optionalText(input, 'Description', DESCRIPTION_LENGTH) ?? ''
    const tags = readTags(input)
    const key = keyNamed(call, input)
    requirePrimary(key)
    requireState(key, ['Enabled'])
    if (!worksIn(partitionOf(call.caller.account.cloud_name), region)) {
      throw validation(`${region} is not a region of this account.`)
    }
    await Promise.all(key.materials.filter(({ lazy }) => lazy).map((each) => call.state.bytesOf(key, each)))
    const regions = key.multiRegion?.regions ?? []
    if (regions.includes(region)) {
      throw new ServiceError('AlreadyExistsException', `${keyArn({ ...key, region })} already exists.`)
    }
    const { id, account, spec, usage, origin } = key
    const now = call.state.now()
    const replica = newKey({
      ...{ id, account, region, createdAt: now, spec, usage, origin, description, tags },
      policy: policy === undefined ? undefined : acceptPolicy(call, policy, { bypass }),
      materials: key.materials.filter(isLasting).map((each) => ({
        ...each,
        ...(origin === 'EXTERNAL' && { bytes: undefined, expiresAt: undefined, description: undefined }),
      })),
      transit: { state: 'Creating', since: now, readsLeft: call.state.delays().transit },
      hiddenReads: call.state.delays().hidden,
    })
    const family = [key, ...call.state.relatives(key), replica]
    for (const each of family) each.multiRegion = { primary: key.region, regions: [...regions, region] }
    call.state.save(family)
    return {
      ReplicaKeyMetadata: describeKey(replica),
      ReplicaPolicy: replica.policy ?? defaultPolicy(call.caller.account),
      ReplicaTags: [...tags].map(([TagKey, TagValue]) => ({ TagKey, TagValue })),
    }
  },
  UpdatePrimaryRegion: (call, input) => {
    const primary = text(input, 'PrimaryRegion', REGION_LENGTH)
    const key = keyNamed(call, input)
    requirePrimary(key)
    requireState(key, ['Enabled', 'Disabled'])
    if (primary === key.region) throw unsupported(`${keyArn(key)} is the primary key already.`)
    const successor = call.state.key(key.account, primary, key.id)
    if (successor === undefined) throw notFound(`${keyArn({ ...key, region: primary })} does not exist`)
    if (successor.deletionAt !== undefined || successor.transit !== undefined) {
      throw invalidState(`${keyArn(successor)} is ${stateOf(successor)}.`)
    }
    const since = call.state.now()
    const { transit } = call.state.delays()
    const family = [key, ...call.state.relatives(key)]
    for (const each of family) each.multiRegion = { primary, regions: each.multiRegion?.regions ?? [] }
    for (const each of [key, successor]) each.transit = { state: 'Updating', since, readsLeft: transit }
    successor.rotation = key.rotation
    key.rotation = undefined
    call.state.save(family)
    return {}
  },
}

function requirePrimary(key: HeldKey): void {
  if (key.multiRegion?.primary === key.region) return
  throw unsupported(`${keyArn(key)} is not a multi-Region primary key.`)
}
