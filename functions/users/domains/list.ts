import { listDomains } from '../../../shared/identity/domains/domains.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { Domain, DomainQuery } from '../../../shared/identity/domains/model.ts'

/** GET /v1/domains: from the root domain all of them, from a child itself. */
export const list = operation(
  { says: 'List Domains', query: DomainQuery, answers: listOf(Domain), may: 'domain-readers' },
  async ({ query, context }) => ok(await listDomains(context, query)),
)
