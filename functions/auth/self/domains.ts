import { domainsOfSelf } from '../../../shared/domain/tokens/self.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/model/common.ts'
import { DomainName, DomainNameQuery } from '../../../shared/model/domain.ts'

/** GET /v1/auth/self/domains: domains the caller can log in to. */
export const listDomains = operation(
  { says: 'List Own Domains', query: DomainNameQuery, answers: listOf(DomainName), may: 'signed-in' },
  async ({ query, context }) => ok(await domainsOfSelf(context, query)),
)
