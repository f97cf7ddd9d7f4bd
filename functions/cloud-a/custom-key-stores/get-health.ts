import { readHealth } from '../../../shared/clouds/cloud-a/key-stores/health-check-key.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CustomKeyStorePath, KeyStoreHealth } from '../../../shared/clouds/cloud-a/key-stores/model.ts'

/** GET /v1/keymgr/cloud-a/custom-key-stores/{id}/health: what a signed health call would be answered. */
export const health = operation(
  { says: 'Check Cloud-a Custom Key Store', path: CustomKeyStorePath, answers: KeyStoreHealth, may: 'keymgr-users' },
  async ({ path, context }) => ok(await readHealth(context, path.id)),
)
