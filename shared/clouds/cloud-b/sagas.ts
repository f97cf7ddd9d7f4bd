import type { AnySagaKind } from '../../work/sagas/saga.ts'
import { restoringCertificates, restoringKeys, restoringSecrets } from './backups/backed.ts'
import {
  CERTIFICATE_ACTIONS,
  creatingCloudBCertificate,
  importingCloudBCertificate,
} from './certificates/certificates.ts'
import { creatingCloudBKey } from './keys/create-key.ts'
import { KEY_ACTIONS } from './keys/kind.ts'
import { uploadingPfx } from './keys/upload-key.ts'
import { rotatingCloudBKey } from './rotated.ts'
import { creatingCloudBSecret, SECRET_ACTIONS } from './secrets/secrets.ts'

/** The sagas of cloud-b. */
export const cloudBSagas: readonly AnySagaKind[] = [
  KEY_ACTIONS.saga,
  creatingCloudBKey,
  uploadingPfx,
  rotatingCloudBKey,
  restoringKeys.saga,
  SECRET_ACTIONS.saga,
  creatingCloudBSecret,
  restoringSecrets.saga,
  CERTIFICATE_ACTIONS.saga,
  creatingCloudBCertificate,
  importingCloudBCertificate,
  restoringCertificates.saga,
]
