import { notThere, ruleBroken } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import { idsAfter } from '../../store/list.ts'
import { kaclsIssuers } from './issuers/store.ts'
import { ISSUERS_MOST } from './model.ts'
import type { StoredKaclsEndpoint } from './store.ts'

/**
 * Ids of all issuers of a domain. @throws Refusal RULE_BROKEN when there are none, or more than an endpoint can have
 */
async function allIssuers(domain: string): Promise<string[]> {
  const ids = await idsAfter(kaclsIssuers, domain, 'all', undefined, ISSUERS_MOST + 1)
  if (ids.length === 0) throw ruleBroken('issuer', 'needs an identity provider: make one first')
  if (ids.length > ISSUERS_MOST)
    throw ruleBroken('issuer', `must name the identity providers: there are more than ${ISSUERS_MOST}`)
  return ids
}

/**
 * The issuers that a body names, or all, with copies of the fields that the data plane needs. They cannot be deleted
 * before the commit: a concurrent deletion runs again, and finds the endpoint.
 * @throws Refusal NOT_FOUND naming the first missing one; RULE_BROKEN
 */
export async function providersOf(
  { caller, changes }: Pick<Context, 'caller' | 'changes'>,
  named: readonly string[] | undefined,
): Promise<Pick<StoredKaclsEndpoint, 'issuer' | 'providers'>> {
  const domain = caller.domain.id
  const ids = [...new Set(named ?? (await allIssuers(domain)))]
  const found = new Map((await kaclsIssuers.getMany(domain, ids)).map((stored) => [stored.item.id, stored]))
  const providers = ids.map((id) => {
    const stored = found.get(id)
    const pointer = `#/issuer/${named?.indexOf(id) ?? 0}`
    if (stored === undefined) throw notThere('There is no such KACLS issuer.', { pointer, detail: 'is not there' })
    changes.update(kaclsIssuers, domain, stored, stored.item)
    return { id, iss: stored.item.iss, jwks_uri: stored.item.jwksURL }
  })
  return { issuer: ids, providers }
}
