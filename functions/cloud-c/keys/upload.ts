import { uploadKey } from '../../../shared/clouds/cloud-c/keys/upload-key.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudCKey, UploadCloudCKey } from '../../../shared/clouds/cloud-c/keys/model.ts'

/** POST /v1/keymgr/cloud-c/upload-key: a key whose first version has the material of a local one. */
export const upload = operation(
  { says: 'Upload Cloud-c Key', body: UploadCloudCKey, answers: CloudCKey, status: 201, may: 'keymgr-users' },
  async ({ body, context }) => {
    const { item, rev } = await uploadKey(context, body)
    return created(item, rev)
  },
)
