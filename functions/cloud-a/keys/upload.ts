import { uploadKey } from '../../../shared/clouds/cloud-a/keys/upload-key.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudAKey, UploadCloudAKey } from '../../../shared/clouds/cloud-a/keys/model.ts'

/** POST /v1/keymgr/cloud-a/upload-key: a cloud key with the material of a local one. */
export const upload = operation(
  { says: 'Upload Cloud-a Key', body: UploadCloudAKey, answers: CloudAKey, status: 201, may: 'keymgr-users' },
  async ({ body, context }) => {
    const { item, rev } = await uploadKey(context, body)
    return created(item, rev)
  },
)
