import type { Context } from '../../http/context.ts'
import { ekmAlgorithm } from '../../crypto/ekm-algorithms.ts'
import { Refusal, type BrokenField } from '../../base/errors.ts'
import { ekmEndpoints, leadToEndpoint, type StoredEkmEndpoint } from './store.ts'
import type { StoredLocalKey } from '../../vault/keys/store.ts'

/** An endpoint after a new version of its key. */
export const following = (
  endpoint: StoredEkmEndpoint,
  { id, version }: Pick<StoredLocalKey, 'id' | 'version'>,
  now: Date,
): StoredEkmEndpoint => ({ ...endpoint, kekID: id, kekVersion: String(version), updatedAt: now.toISOString() })

type Version = Pick<StoredLocalKey, 'id' | 'name' | 'version' | 'state' | 'usageMask'>

/**
 * The uses that a new version would end: the endpoint encrypts with it at once. Uses that the former version lacks do
 * not count.
 */
function endedBy({ algorithm }: StoredEkmEndpoint, former: Version, record: Version): BrokenField[] {
  const taken = ekmAlgorithm(algorithm).usage & former.usageMask & ~record.usageMask
  return [
    ...(record.state === 'Active' ? [] : [{ pointer: '#/offset', detail: 'must be 0 behind an EKM endpoint' }]),
    ...(taken === 0 ? [] : [{ pointer: '#/usageMask', detail: 'must keep what the EKM endpoint does with the key' }]),
  ]
}

/**
 * Stages that the EKM endpoint over a local key, if there is one, encrypts with its new version from now on. Ours: a
 * signing endpoint keeps its key at the present version, since the cloud remembers one public key for an address. A
 * version that could not serve is refused when it is made, before the cloud's calls fail.
 * @throws Refusal STATE_CONFLICT for a key behind a signing endpoint; RULE_BROKEN for a version that is not Active yet,
 * or that lacks a use of the former one
 */
export async function followKey(
  { caller, changes, now }: Pick<Context, 'caller' | 'changes' | 'now'>,
  former: Version,
  record: Version,
): Promise<void> {
  const domain = caller.domain.id
  const stored = await ekmEndpoints.find(domain, 'kek', record.name)
  if (stored === undefined) return
  if (stored.item.key_type === 'asymmetric')
    throw new Refusal(
      'STATE_CONFLICT',
      `The EKM endpoint ${stored.item.name} signs with this key, and its public key must stay: make a new endpoint.`,
    )
  const errors = endedBy(stored.item, former, record)
  if (errors.length > 0)
    throw new Refusal('RULE_BROKEN', `The EKM endpoint ${stored.item.name} could not go on with this version.`, {
      errors,
    })
  changes.update(ekmEndpoints, domain, stored, following(stored.item, record, now))
  leadToEndpoint(changes, domain, stored.item.id, record.id)
}
