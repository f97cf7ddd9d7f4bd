import { createHostedKey } from '../../../shared/domain/cloud-a/hosted-keys/create-hosted-key.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudAKey } from '../../../shared/model/cloud-a-key.ts'
import { CreateHostedKey } from '../../../shared/model/hosted-key.ts'

/** POST /v1/keymgr/cloud-a/create-hyok-key: a key whose material stays here, behind a key store of ours. */
export const createHosted = operation(
  { says: 'Create Hosted Cloud-a Key', body: CreateHostedKey, answers: CloudAKey, status: 201, may: 'keymgr-users' },
  async ({ body, context }) => {
    const { item, rev } = await createHostedKey(context, body)
    return created(item, rev)
  },
)
