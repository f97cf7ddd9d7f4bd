import { rotateDomainKey } from '../../../shared/domain/domains/domain-keys.ts'
import { accepted, operation } from '../../../shared/http/operation.ts'
import { DomainKey } from '../../../shared/model/domain-key.ts'
import { DomainPath } from '../../../shared/model/domain.ts'

/** POST /v1/domains/{id}/rotate-kek: a new key; what the old one sealed is sealed again in the background. */
export const rotateKek = operation(
  { says: 'Rotate Domain Key', path: DomainPath, answers: DomainKey, status: 202, may: 'admins' },
  async ({ path, context }) => accepted(await rotateDomainKey(context, path.id)),
)
