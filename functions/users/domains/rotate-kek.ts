import { rotateDomainKey } from '../../../shared/identity/domains/domain-keys.ts'
import { accepted, operation } from '../../../shared/http/operation.ts'
import { DomainKey } from '../../../shared/keyring/domain-key-model.ts'
import { DomainPath } from '../../../shared/identity/domains/model.ts'

/** POST /v1/domains/{id}/rotate-kek: a new key; what the old one sealed is sealed again in the background. */
export const rotateKek = operation(
  { says: 'Rotate Domain Key', path: DomainPath, answers: DomainKey, status: 202, may: 'admins' },
  async ({ path, context }) => accepted(await rotateDomainKey(context, path.id)),
)
