import { retryDomainKeyRotation } from '../../../shared/identity/domains/domain-keys.ts'
import { accepted, operation } from '../../../shared/http/operation.ts'
import { DomainKey } from '../../../shared/keyring/domain-key-model.ts'
import { DomainPath } from '../../../shared/identity/domains/model.ts'

/** POST /v1/domains/{id}/retry-kek-rotation: takes up a rotation that stopped. */
export const retryKekRotation = operation(
  { says: 'Retry Domain Key Rotation', path: DomainPath, answers: DomainKey, status: 202, may: 'admins' },
  async ({ path, context }) => accepted(await retryDomainKeyRotation(context, path.id)),
)
