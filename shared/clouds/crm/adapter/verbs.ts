import { activity, logFiles } from './activity.ts'
import { activate, describe, destroy, exported, importAgain } from './changing.ts'
import { certificateKey, create, register, upload } from './creation.ts'
import { namedCredentials, organization, test } from './look-ups.ts'
import { read, refs, registered, survey } from './secrets.ts'
import type { Crm } from './types.ts'

export { crmCertificates } from './certificates.ts'

export const crm: Crm = {
  test,
  organization,
  namedCredentials,

  refs,
  read,
  survey,
  registered,
  logFiles,
  activity,

  create,
  upload,
  certificateKey,
  register,

  describe,
  exported,
  destroy,
  importAgain,
  activate,
}
