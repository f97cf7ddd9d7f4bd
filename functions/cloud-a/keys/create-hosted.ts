import { createHostedKey } from '../../../shared/clouds/cloud-a/hosted-keys/create-hosted-key.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudAKey } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { CreateHostedKey } from '../../../shared/clouds/cloud-a/hosted-keys/model.ts'

/** POST /v1/keymgr/cloud-a/create-hyok-key: a key whose material stays here, behind a key store of ours. */
export const createHosted = operation(
  { says: 'Create Hosted Cloud-a Key', body: CreateHostedKey, answers: CloudAKey, status: 201, may: 'keymgr-users' },
  async ({ body, context }) => {
    const { item, rev } = await createHostedKey(context, body)
    return created(item, rev)
  },
)
