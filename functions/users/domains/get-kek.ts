import { getDomainKey } from '../../../shared/identity/domains/domain-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { DomainKey } from '../../../shared/keyring/domain-key-model.ts'
import { DomainKeyPath } from '../../../shared/identity/domains/model.ts'

/** GET /v1/domains/{id}/keks/{kekID} */
export const getKek = operation(
  { says: 'Get Domain Key', path: DomainKeyPath, answers: DomainKey, may: 'domain-readers' },
  async ({ path, context }) => ok(await getDomainKey(context, path.id, path.kekID)),
)
