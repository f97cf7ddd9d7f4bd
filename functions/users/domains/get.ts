import { getDomain } from '../../../shared/identity/domains/domains.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { Domain, DomainPath } from '../../../shared/identity/domains/model.ts'

/** GET /v1/domains/{id} */
export const get = operation(
  { says: 'Get Domain', path: DomainPath, answers: Domain, may: 'domain-readers' },
  async ({ path, context }) => {
    const { item, rev } = await getDomain(context, path.id)
    return ok(item, rev)
  },
)
