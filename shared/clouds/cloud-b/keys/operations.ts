import { KeyPassport } from '../../../audit/passport/model.ts'
import { PublicKeyPem } from '../../../cloud/keys/model.ts'
import { cloudKeyPassport } from '../../../cloud/keys/passport.ts'
import type { Route } from '../../../http/operation.ts'
import { routesOn } from '../../../resource/routes.ts'
import { itemRoutes } from '../items/item-routes.ts'
import { createKey } from './create-key.ts'
import { getCloudBKey, KEY_ACTIONS, keyKind, listCloudBKeys, updateCloudBKey } from './kind.ts'
import {
  CloudBKey,
  CloudBKeyQuery,
  CreateCloudBKey,
  EnableRotationJob,
  UpdateCloudBKey,
  UploadCloudBKey,
} from './model.ts'
import { publicKeyOf } from './public-key.ts'
import { disableRotationJob, enableRotationJob } from './rotation-job.ts'
import { uploadKey } from './upload-key.ts'

const BASE = '/v1/keymgr/cloud-b'
const on = routesOn({ at: `${BASE}/keys`, answers: CloudBKey, reads: 'keymgr-users', changes: 'keymgr-users' })

/** Keys, every version a resource. */
export const keyRoutes: readonly Route[] = [
  on.list('List Cloud-b Keys', CloudBKeyQuery, listCloudBKeys),
  on.create('Create Cloud-b Key', CreateCloudBKey, createKey), // for an existing name: creates another version
  on.create('Upload Cloud-b Key', UploadCloudBKey, uploadKey, `${BASE}/upload-key`),
  on.get('Get Cloud-b Key', getCloudBKey),
  on.tell('GET', 'passport', 'Get Cloud-b Key Passport', KeyPassport, cloudKeyPassport(keyKind)),
  on.update('Update Cloud-b Key', UpdateCloudBKey, updateCloudBKey),
  ...itemRoutes(on, 'Key', KEY_ACTIONS),
  on.tell('GET', 'download-public-key', 'Download Cloud-b Public Key', PublicKeyPem, publicKeyOf, {
    media: 'text/plain',
  }),
  on.act('enable-rotation-job', 'Enable Cloud-b Key Rotation Job', enableRotationJob, EnableRotationJob),
  on.act('disable-rotation-job', 'Disable Cloud-b Key Rotation Job', disableRotationJob),
]
