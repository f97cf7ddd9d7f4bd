import { updateDomain } from '../../../shared/identity/domains/domains.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { Domain, DomainPath, UpdateDomain } from '../../../shared/identity/domains/model.ts'

/** PATCH /v1/domains/{id}: only what is present changes. */
export const update = operation(
  { says: 'Update Domain', path: DomainPath, body: UpdateDomain, answers: Domain, may: 'admins' },
  async ({ path, body, context }) => {
    const { item, rev } = await updateDomain(context, path.id, body)
    return ok(item, rev)
  },
)
