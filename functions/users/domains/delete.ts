import { deleteDomain } from '../../../shared/identity/domains/domains.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'
import { DomainPath } from '../../../shared/identity/domains/model.ts'

/** DELETE /v1/domains/{id}: refused while the domain holds keys or containers. */
export const remove = operation(
  { says: 'Delete Domain', path: DomainPath, answers: Deleted, may: 'admins' },
  async ({ path, context }) => {
    await deleteDomain(context, path.id)
    return deleted()
  },
)
