import { domainsOfSelf } from '../../../shared/identity/tokens/self.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { DomainName, DomainNameQuery } from '../../../shared/identity/domains/model.ts'

/** GET /v1/auth/self/domains: domains the caller can log in to. */
export const listDomains = operation(
  { says: 'List Own Domains', query: DomainNameQuery, answers: listOf(DomainName), may: 'signed-in' },
  async ({ query, context }) => ok(await domainsOfSelf(context, query)),
)
