import { uuid } from '../../../base/ids.ts'
import type { EkmAlgorithmName } from '../../../crypto/protocols/ekm-algorithms.ts'
import { ekmAlgorithm } from '../../../crypto/protocols/ekm-algorithms.ts'
import { contextOnBehalf, recordOnBehalf, type OnBehalf } from '../../../http/on-behalf.ts'
import { newCommonFields, stageNew } from '../../../resource/records.ts'
import { Changes, retryWhenStale } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { newEndpoint } from '../create-endpoint.ts'
import { CreateEkmEndpoint, type EkmEndpoint } from '../model.ts'
import { ekmEndpointKind } from '../records.ts'
import { EkmRefusal } from '../data/errors.ts'
import { cryptoSpaces, type StoredCryptoSpace } from './store.ts'

/** The present space. The commit relies on it: a space that is blocked or deleted meanwhile gets no key. */
async function openSpace(domain: string, id: string): Promise<Stored<StoredCryptoSpace>> {
  const stored = await cryptoSpaces.get(domain, id)
  if (stored === undefined) throw new EkmRefusal('NOT_FOUND')
  if (stored.item.blocked) throw new EkmRefusal('PERMISSION_DENIED')
  return stored
}

/**
 * Makes a key in a space, and an endpoint over it with the policy of the space.
 * @param onBehalf the cloud's service account
 * @throws EkmRefusal, Refusal
 */
export const makeEndpoint = (onBehalf: OnBehalf, spaceId: string, algorithm: EkmAlgorithmName): Promise<EkmEndpoint> =>
  retryWhenStale(async () => {
    const domain = onBehalf.initiator.domain.id
    const space = await openSpace(domain, spaceId)
    const { keyURIHostname, policy = {} } = space.item
    const changes = new Changes()
    const { context, subject } = contextOnBehalf(onBehalf, changes)
    const common = newCommonFields(ekmEndpointKind, context, uuid(onBehalf.now))
    const body = CreateEkmEndpoint.parse({
      name: `key-${common.id}`,
      keyURIHostname,
      algorithm,
      key_type: ekmAlgorithm(algorithm).keyType,
      policy,
      raw_policy_enabled: policy.rego !== undefined,
    })
    const endpoint = await newEndpoint(context, body, common)
    changes.rely(cryptoSpaces, domain, space)
    const { item } = await stageNew(ekmEndpointKind, context, { ...endpoint, cryptospace_id: spaceId })
    recordOnBehalf(changes, onBehalf, subject())
    await changes.commit(onBehalf.now)
    return item
  })
