import { Refusal, notThere } from '../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../base/ids.ts'
import { hasGroup, type Context } from '../http/context.ts'
import { domainNamed } from '../identity/tokens/credentials.ts'

/**
 * The requested domain of records or proofs: the caller's, or a child domain if an auditor of the root domain names it.
 * @throws Refusal NOT_FOUND for a domain that does not exist or that the caller may not see, without distinguishing
 * them
 */
export async function domainAsked({ caller }: Context, names: readonly string[] | undefined): Promise<string> {
  if (names === undefined) return caller.domain.id
  const [name = '', more] = names
  if (more !== undefined)
    throw new Refusal('QUERY_INVALID', 'domain takes one domain at a time.', {
      errors: [{ parameter: 'domain', detail: 'must be one domain' }],
    })
  const domain = await domainNamed(name)
  const mayLook =
    domain !== undefined &&
    (domain.id === caller.domain.id ||
      (caller.domain.id === ROOT_DOMAIN_ID && hasGroup(caller, 'admin', 'Audit Admins')))
  if (!mayLook) throw notThere('There is no such domain.', { parameter: 'domain', detail: 'is not there' })
  return domain.id
}
