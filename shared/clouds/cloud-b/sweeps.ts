import { expiring } from '../../store/due.ts'
import { cloudBCertificates } from './certificates/store.ts'
import { forgetting } from './items/gone.ts'
import { cloudBKeys } from './keys/store.ts'
import { cloudBSecrets } from './secrets/store.ts'

/** Removes records of items that the cloud no longer has. */
export const forgottenItems = [
  expiring(forgetting(cloudBKeys.name), cloudBKeys),
  expiring(forgetting(cloudBSecrets.name), cloudBSecrets),
  expiring(forgetting(cloudBCertificates.name), cloudBCertificates),
] as const
