import { deleteDomain } from '../../../shared/domain/domains/domains.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/model/common.ts'
import { DomainPath } from '../../../shared/model/domain.ts'

/** DELETE /v1/domains/{id}: refused while the domain holds keys or containers. */
export const remove = operation(
  { says: 'Delete Domain', path: DomainPath, answers: Deleted, may: 'admins' },
  async ({ path, context }) => {
    await deleteDomain(context, path.id)
    return deleted()
  },
)
