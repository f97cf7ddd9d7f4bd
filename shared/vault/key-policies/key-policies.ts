import { algorithmNamed, curveNamed } from '../../crypto/algorithms.ts'
import type { Context } from '../../http/context.ts'
import { Refusal, type BrokenField } from '../../base/errors.ts'
import { resourceUri } from '../../base/ids.ts'
import { assertRules } from '../../http/request/parse.ts'
import { ALGORITHM_RULES } from '../keys/record/algorithm-rules.ts'
import { namedQuery } from '../../http/lists/list-query.ts'
import { namedOrId } from '../../resource/records.ts'
import { resource } from '../../resource/resource.ts'
import { CreateKeyPolicy, KeyPolicy, UpdateKeyPolicy } from './model.ts'
import { ENABLED, ENABLED_MOST, forgetPolicies, keyPolicies } from './store.ts'

/** Names that are not in the table of algorithms, each with its pointer. */
function unknownNames({ algorithms = [], curveids = [] }: KeyPolicy): BrokenField[] {
  const checks = [
    ...algorithms.map((name, at) => ({ pointer: `#/algorithms/${at}`, check: () => void algorithmNamed(name) })),
    ...curveids.map((name, at) => ({
      pointer: `#/curveids/${at}`,
      check: () => void curveNamed(algorithmNamed('ec'), name),
    })),
  ]
  return checks.flatMap(({ pointer, check }) => {
    try {
      check()
      return []
    } catch (error) {
      if (error instanceof Refusal) return [{ pointer, detail: error.message }]
      throw error
    }
  })
}

/** Defaults that the policy itself does not allow. */
function forbiddenDefaults({ defaults = {}, algorithms, sizes, curveids, usageMask }: KeyPolicy): BrokenField[] {
  const { algorithm, size, curveid, usageMask: mask } = defaults
  const outside = {
    algorithm:
      algorithm !== undefined && algorithms?.some((one) => one.toLowerCase() === algorithm.toLowerCase()) === false,
    size: size !== undefined && sizes?.includes(size) === false,
    curveid: curveid !== undefined && curveids?.includes(curveid) === false,
    usageMask: mask !== undefined && usageMask !== undefined && (mask & ~usageMask) !== 0,
  }
  return Object.entries(outside).flatMap(([field, broken]) =>
    broken ? [{ pointer: `#/defaults/${field}`, detail: 'must be one that the policy allows' }] : [],
  )
}

/** @throws Refusal RULE_BROKEN, naming every fault; IN_USE for too many enabled ones */
async function check({ caller, changes }: Context, item: KeyPolicy, before: KeyPolicy | undefined): Promise<KeyPolicy> {
  const errors = [...unknownNames(item), ...forbiddenDefaults(item)]
  if (errors.length > 0) throw new Refusal('RULE_BROKEN', 'The policy names what no key can have.', { errors })
  assertRules(ALGORITHM_RULES, item.defaults ?? {}, 'defaults')
  const isNew = item.enabled && before?.enabled !== true
  if (isNew)
    await changes.relyOnRoom(
      keyPolicies,
      caller.domain.id,
      { set: ENABLED, most: ENABLED_MOST },
      () => new Refusal('STATE_CONFLICT', `At most ${ENABLED_MOST} key policies are enabled at a time.`),
    )
  return item
}

/** The policies for keys of a domain. */
export const keyPolicyResource = resource({
  entity: keyPolicies,
  noun: 'key policy',
  title: 'Key Policy',
  titles: 'Key Policies',
  at: '/v1/vault/key-policies',
  reads: 'key-users',
  changes: 'key-admins',
  answers: KeyPolicy,
  query: namedQuery(KeyPolicy),
  createBody: CreateKeyPolicy,
  updateBody: UpdateKeyPolicy,
  uri: (domain, id) => resourceUri(domain, 'vault', 'key-policies', id),
  find: namedOrId(keyPolicies),
  audited: ['name', 'enabled', 'algorithms', 'sizes', 'curveids', 'usageMask', 'defaults'],
  check,
  changed: forgetPolicies,
})
