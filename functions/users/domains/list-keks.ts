import { listDomainKeys } from '../../../shared/domain/domains/domain-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/model/common.ts'
import { DomainKey, DomainKeyQuery } from '../../../shared/model/domain-key.ts'
import { DomainPath } from '../../../shared/model/domain.ts'

/** GET /v1/domains/{id}/keks: the domain's key encryption keys, oldest first; never their bytes. */
export const listKeks = operation(
  {
    says: 'List Domain Keys',
    path: DomainPath,
    query: DomainKeyQuery,
    answers: listOf(DomainKey),
    may: 'domain-readers',
  },
  async ({ path, query, context }) => ok(await listDomainKeys(context, path.id, query)),
)
