import { listDomainKeys } from '../../../shared/identity/domains/domain-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { DomainKey, DomainKeyQuery } from '../../../shared/keyring/domain-key-model.ts'
import { DomainPath } from '../../../shared/identity/domains/model.ts'

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
