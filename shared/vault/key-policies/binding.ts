import { Refusal, type BrokenField } from '../../base/errors.ts'
import { findAlgorithm } from '../../crypto/algorithms.ts'
import { algorithmOf } from '../keys/record/algorithm-rules.ts'
import type { CreateLocalKey } from '../keys/model.ts'
import { objectTypeRow, type ObjectType } from '../../crypto/object-types.ts'
import type { KeyPolicy } from './model.ts'
import type { Context } from '../../http/context.ts'
import { policiesInForce } from './store.ts'

/** The properties of a key that policies check. */
export interface Judged {
  readonly objectType: ObjectType
  readonly algorithm: string
  readonly sizeBits: number
  readonly curve?: string | undefined
  readonly usageMask: number
}

const canonical = (algorithm: string): string => findAlgorithm(algorithm)?.name ?? algorithm.toLowerCase()

const hasAlgorithm = ({ algorithms }: KeyPolicy, algorithm: string): boolean =>
  algorithms === undefined || algorithms.some((one) => canonical(one) === canonical(algorithm))

/** The field of the key that violates a policy, and the rule; `undefined` if the policy allows the key. */
export function brokenBy(policy: KeyPolicy, key: Judged): { field: string; detail: string } | undefined {
  const { algorithms, sizes, curveids, usageMask } = policy
  const among = (values: readonly (string | number)[] = []): string => `must be one of ${values.join(', ')}`
  if (!hasAlgorithm(policy, key.algorithm)) return { field: 'algorithm', detail: among(algorithms) }
  if (key.curve !== undefined && curveids?.includes(key.curve) === false)
    return { field: 'curveid', detail: among(curveids) }
  if (sizes?.includes(key.sizeBits) === false)
    return { field: key.curve === undefined ? 'size' : 'curveid', detail: `must have one of ${sizes.join(', ')} bits` }
  if (usageMask !== undefined && (key.usageMask & ~usageMask) !== 0)
    return { field: 'usageMask', detail: `must have no bits beside ${usageMask}` }
  return undefined
}

const isKey = (objectType: ObjectType): boolean => objectTypeRow(objectType).isKey

/** @throws Refusal RULE_BROKEN if the domain has enabled policies and none of them allows the key */
export async function assertAllowed(context: Pick<Context, 'caller' | 'now'>, key: Judged): Promise<void> {
  if (!isKey(key.objectType)) return
  const policies = await policiesInForce(context)
  const faults = policies.map((policy) => ({ name: policy.name, broken: brokenBy(policy, key) }))
  if (faults.length === 0 || faults.some(({ broken }) => broken === undefined)) return
  const errors = faults.flatMap(({ name, broken }): BrokenField[] =>
    broken === undefined ? [] : [{ pointer: `#/${broken.field}`, detail: `${broken.detail} (key policy ${name})` }],
  )
  throw new Refusal('RULE_BROKEN', `No enabled key policy of the domain allows this key.`, { errors })
}

type Defaults = NonNullable<KeyPolicy['defaults']>

type Given = Pick<CreateLocalKey, 'algorithm' | 'material' | 'objectType' | 'emptyMaterial'>

/**
 * Defaults for a new key, from the oldest enabled policy that has some for its algorithm. Imported material determines
 * its own size and curve.
 * @param given fields from body and template
 */
export async function policyDefaults(context: Pick<Context, 'caller' | 'now'>, given: Given): Promise<Defaults> {
  const { algorithm, material, objectType } = given
  const isNone = objectType !== undefined && !isKey(objectType)
  if (isNone || findAlgorithm(algorithmOf({ algorithm, objectType }))?.name === 'opaque') return {}
  const isFor = (policy: KeyPolicy): boolean => {
    const own = policy.defaults?.algorithm
    if (policy.defaults === undefined || algorithm === undefined) return policy.defaults !== undefined
    return own === undefined ? hasAlgorithm(policy, algorithm) : canonical(own) === canonical(algorithm)
  }
  const { size, curveid, ...others } = (await policiesInForce(context)).find(isFor)?.defaults ?? {}
  if (material !== undefined) return others
  const isEc = findAlgorithm(algorithmOf({ algorithm: algorithm ?? others.algorithm, objectType }))?.family === 'ec'
  return { ...others, ...(isEc ? curveid !== undefined && { curveid } : size !== undefined && { size }) }
}
