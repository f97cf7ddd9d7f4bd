import { revokeById } from '../../../shared/identity/tokens/session.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'
import { RefreshTokenPath } from '../../../shared/identity/tokens/model.ts'

/** DELETE /v1/auth/tokens/{id}: the log-in cannot be renewed any more, at once. */
export const remove = operation(
  { says: 'Revoke Refresh Token', path: RefreshTokenPath, answers: Deleted, may: 'signed-in' },
  async ({ path, context }) => {
    await revokeById(context, path.id)
    return deleted()
  },
)
